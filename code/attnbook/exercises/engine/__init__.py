"""What all exercises share: checking an answer, naming the cause, hints, progress.

`module` reads an exercise from its module, whose mistakes are `edits` of the answer. An `exercise`
is a `write`, a `predict` or a `break_it`, and `record` keeps which are solved. A check makes an
`attempt` of an answer in a `sandbox`, and `compare`s. Functions of `tensors` meet PyTorch's plain
`settings`; those that `launch` a kernel are watched, and `gpu_compile` tries the kernel. Where no
known mistake is found, `diagnose` says what can be seen.
"""
