"""`make gpu-check`: whatever a GPU is needed for, in one command that nothing stops."""
