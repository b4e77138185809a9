"""Names that users of TensorFlow, PyTorch, JAX, Autograd and Numba try, and what to use here."""

from __future__ import annotations

NAMES = {
    # -- compiling, control flow
    "ag.function": "jit njit compile defun script tf_function jitclass cfunc xla cuda_jit",
    "ag.trace_into": "trace_library",
    "if, for and while: they are converted": "lax",
    "for: the loop is converted, or ag.for_loop": "fori_loop loop",
    "ag.cond, or if: it is converted": "if_ if",
    "while: the loop is converted, or ag.while_loop": "while",
    "range": "prange range",
    "ag.scan": "associative_scan",
    "ag.foldl": "reduce fold",
    "ag.switch_case": "switch",
    "ag.vmap": "pmap guvectorize",
    "slices of the array, such as x[1:] - x[:-1]": "stencil",
    "for: a loop over a tuple is converted": "literal_unroll",
    "a function per type of argument: each call is traced for its types": "generated_jit overload "
        "extending dispatch",
    "ag.vectorized_map, or np.vectorize": "vectorize",
    "ag.set_loop_options(unroll=True), in the loop": "unroll",
    "ag.py_function": "py_func pure_callback io_callback objmode",
    # -- gradients
    "ag.stop_gradient(x) for what has no gradient; no gradients are made unless they are asked for":
        "no_grad nograd no_gradient without_grad enable_grad inference_mode set_grad_enabled "
        "detach",
    "ag.grad or ag.value_and_grad": "gradients gradient backward grad_and_value autograd "
        "requires_grad multigrad_dict elementwise_grad value_and_gradient",
    "ag.GradientTape": "tape",
    "ag.jacobian": "jacfwd jacrev batch_jacobian",
    "ag.vjp": "make_vjp", "ag.jvp": "make_jvp",
    "ag.custom_gradient": "custom_grad",
    "ag.checkpoint": "recompute_grad remat",
    "ag.vjp of the linear function": "linear_transpose",
    # -- values
    "a NumPy array: np.array": "constant tensor array devicearray",
    "np.asarray": "convert_to_tensor as_tensor from_numpy",
    "x.astype": "cast to_dtype",
    "x.item() or float(x)": "item",
    "a tuple": "TensorShape",
    "a list of arrays": "RaggedTensor ragged tensor_list TensorList",
    "isinstance(x, ag.Tensor)": "is_tensor",
    "ag.Variable": "parameter get_variable",
    "ag.Variable(x): it has its value from the beginning": "global_variables_initializer",
    "ag.TensorSpec": "placeholder spec ShapeDtypeStruct input abstract",
    "scipy.sparse": "sparse SparseTensor sparse_tensor",
    "f.get_concrete_function(x).structured_outputs": "eval_shape",
    "nothing: arrays, lists, dicts and dataclasses are arguments and results as they are":
        "tree tree_map tree_util tree_flatten pytree nest typed",
    "np.full or np.zeros": "constant_initializer zeros_initializer ones_initializer",
    "dtype=np.float32 where arrays are made: there is no default": "set_default_dtype",
    "np.dtype": "dtypes types",
    "str": "string",
    # -- NumPy's functions
    "import numpy as np": "numpy np jnp",
    "NumPy's functions": "nn math functional F activations losses metrics raw_ops utils",
    "the image library that you know, outside of traced functions": "image images vision",
    "Python's files, and np.load": "io",
    "np.linalg": "linalg", "np.fft": "signal", "np.char": "strings",
    "np.random.default_rng(seed)": "manual_seed set_seed seed PRNGKey key prng",
    "np.sum": "reduce_sum", "np.mean": "reduce_mean", "np.max": "reduce_max",
    "np.min": "reduce_min", "np.prod": "reduce_prod", "np.any": "reduce_any",
    "np.all": "reduce_all", "np.std": "reduce_std", "np.var": "reduce_variance",
    "np.log(np.sum(np.exp(x)))": "reduce_logsumexp logsumexp",
    "np.concatenate": "concat cat", "np.matmul or a @ b": "matmul", "np.ndim": "rank",
    "np.split": "chunk", "np.random": "random initializers",
    "x * np.minimum(1, c / np.linalg.norm(x))": "clip_by_norm",
    "x - np.log(np.sum(np.exp(x)))": "log_softmax",
    "np.take or x[indices]": "gather gather_nd", "x[mask]": "boolean_mask",
    "x[indices] = values": "scatter scatter_nd", "np.clip": "clip_by_value",
    "np.eye(n)[indices]": "one_hot", "np.full": "fill", "np.partition or np.sort": "top_k",
    "np.maximum(x, 0)": "relu", "1 / (1 + np.exp(-x))": "sigmoid",
    "np.logaddexp(x, 0)": "softplus", "np.exp(x) / np.exp(x).sum()": "softmax",
    # -- models, training, files
    "ag.Module for layers and models, ag.GradientTape for their training":
        "keras model sequential layer layers dense linear Trainer",
    "v.assign_sub(rate * g) for each variable and its gradient":
        "optimizers optimizer optim adam sgd GradientDescent train_step",
    "NumPy arrays, and a for loop over their batches": "data dataset DataLoader",
    "ag.Checkpoint": "train save_weights load_state_dict state_dict",
    "ag.save and ag.load": "saved_model SavedModel save_model load_model",
    "ag.export_onnx": "onnx export to_onnx",
    "f.to_jax(x)": "jax",
    # -- looking on
    "f.explain(x), of a decorated function f": "explain visualize show plot report",
    "f.graph(x) for the graph of a function": "graph", "f.graph(x)": "make_jaxpr draw",
    "ag.print": "summary",
    "ag.debugging.assert_equal": "assert_equal assertEqual",
    "ag.check(f, x)": "test", "ag.type_spec_from_value": "typeof shaped_abstractify",
    "ag.debugging": "debug",
    "ag.set_verbosity": "logging set_log_level verbose",
    "f.explain(x) or cProfile": "profiler", "Python's timeit": "timeit benchmark",
    "the options of ag.function, which help(ag.function) lists": "options ConfigProto",
    "ag.errors": "error exceptions GraphError",
    # -- what there is no need for
    "nothing: call the function": "session run eval evaluate feed_dict",
    "nothing: there is one device": "device cuda cpu gpu tpu to_device set_num_threads distribute "
        "distributed devices local_devices device_count process_index",
    "nothing: effects run in the order of the program": "control_dependencies",
    "nothing: names in graphs are those of the variables": "name_scope named_scope",
    "nothing: what depends on no array is computed while tracing": "ensure_compile_time_eval",
    "nothing: arrays are freed as Python's objects are": "live_arrays clear_caches empty_cache",
    "x.astype(np.float32): arrays keep the dtype that they have": "autocast amp",
    "ag.config.debug = True, and pdb": "gdb",
    "the array: there is one device": "device_put",
    "nothing: a call gives its result when it is done": "block_until_ready",
    "ag.run_functions_eagerly(True) to run functions without graphs":
        "enable_eager_execution disable_eager_execution disable_v2_behavior disable_jit",
    "the names as they are: there is one version": "compat v1",
    # -- options
    "@ag.function(fast_math=True)": "fastmath",
    "@ag.function(jit_compile=True)": "nopython native",
    "@ag.function: traces are kept as long as the function": "cache",
    "Python's threads: calls in several of them run side by side": "parallel",
}
"""By what to use: names of other libraries, in any case of letters."""

INSTEAD = {name.lower(): use for use, names in NAMES.items() for name in names.split()}
