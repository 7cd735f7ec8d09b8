"""Run the race: python -m benchmarks.race [FILE]."""

from benchmarks.race.command import main

if __name__ == "__main__":
    main()
