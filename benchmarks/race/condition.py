"""The clocks, the power and the heat of a GPU while it works, as nvidia-smi tells them."""

import statistics
import subprocess
import threading

ASKED = "clocks.sm", "clocks.mem", "power.draw", "temperature.gpu", "clocks_event_reasons.active"
EVERY = 200  # thousandths of a second
WATCH = ["nvidia-smi", f"--query-gpu={','.join(ASKED)}", "--format=csv,noheader,nounits"]
WATCH += ["-lms", str(EVERY)]
# What lowers the clocks, by the bits of the last answer; that a GPU rests is no such thing.
REASONS = {0x4: "power", 0x8: "slowed by the board", 0x20: "heat, by the driver"}
REASONS |= {0x40: "heat, by the board", 0x80: "power, by the board"}


class Condition:
    """Listens to a command that says a line now and then; where there is none, nothing is known."""

    def __init__(self, command):
        self.lines = []
        try:
            more = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
            process = subprocess.Popen(command, **more)
        except OSError:
            return
        threading.Thread(target=self._listen, args=[process], daemon=True).start()

    def _listen(self, process):
        with process:
            for line in process.stdout:
                self.lines.append(line)

    def since(self):
        """What was said since it was asked last: a dict, {} for nothing."""
        lines, self.lines = self.lines, []
        told = [numbers for line in lines if (numbers := _numbers(line))]
        if not told:
            return {}
        clock, memory, watts, heat, reasons = zip(*told, strict=True)
        return {
            "clock, MHz": [min(clock), statistics.median(clock), max(clock)],
            "memory clock, MHz": statistics.median(memory),
            "power, W": [statistics.median(watts), max(watts)],
            "heat, °C": max(heat),
            "throttled": [why for bit, why in REASONS.items() if any(r & bit for r in reasons)],
            "answers": len(told),
        }


def _numbers(line):
    """The numbers of a line, the last of them a whole one; None if one is not known."""
    try:
        *known, reasons = line.split(",")
        return *map(float, known), int(reasons, 16)
    except ValueError:
        return None
