# make book                  build the book, serve it, print its address (SERVE=0: only build)
# make pdf                   build the book and print it into _build/attention.pdf
# make test                  prove everything (ALL=1: for other GPUs and versions, too)
# make lab                   open the notebooks in JupyterLab
# make notebooks [NB=path]   run notebooks again, write their outputs (FRESH=1: timings too) and
#                            in all of them the numbers of chapters
# make check FILE=path       prove one file: a notebook's numbers, a minute of the nearest tests
# make gpu-check COMMIT=id   on a machine with a GPU: the kernels agree, then race (8 minutes)
#
# PYTHON=path picks the Python that .venv is made with; CHROMIUM=path the browser that
# prints and tests.

.PHONY: book pdf test lab notebooks check gpu-check help

$(if $(wildcard tools/python),,$(error run make in the folder of the book, or name it: make -C))

book:
	@sh tools/python -m tools environment requirements-book.txt
	@.venv/bin/python -m tools build
	@$(if $(filter 0,$(SERVE)),,.venv/bin/python -m tools serve)

pdf:
	@sh tools/python -m tools environment requirements-pdf.txt
	@.venv/bin/python -m tools build
	@.venv/bin/python -m tools pdf

test:
	@sh tools/python -m tools environment requirements.txt
	@.venv/bin/python -m tools prove $(if $(ALL),--everywhere)

lab:
	@sh tools/python -m tools environment requirements-lab.txt
	@.venv/bin/jupyter trust book/*/*.ipynb >/dev/null  # Lab shows no figure of one that is not trusted
	@.venv/bin/jupyter lab $$(test "$$(id -u)" != 0 || echo --allow-root) book

notebooks:
	@sh tools/python -m tools environment requirements.txt
	@.venv/bin/python -m tools chapter_numbers
	@.venv/bin/python -m tools rerun $(if $(FRESH),--fresh) $(NB)
	@.venv/bin/python -m tools ways  # counts the minutes that `rerun` writes

check:
	@sh tools/python -m tools environment requirements.txt
	@.venv/bin/python -m tools check $(FILE) $(NB)

gpu-check:
	@$(if $(COMMIT),ATTNBOOK_COMMIT=$(COMMIT)) sh tools/python -m benchmarks.check $(MINUTES)

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
