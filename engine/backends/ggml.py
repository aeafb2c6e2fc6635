"""ggml tensors as the evaluation callback hands them over: name, shape, operation, data.

It knows the memory layout of `struct ggml_tensor` (ggml.h), checked against the library at import, and no model.
"""

from __future__ import annotations

import ctypes

import llama_cpp
import numpy as np
from llama_cpp._ctypes_extensions import load_shared_library
from numpy.typing import NDArray

MAX_DIMS = 4
F32 = 0


class Tensor(ctypes.Structure):
    """`struct ggml_tensor`: ne counts elements, nb bytes, in each dimension, fastest first."""

    type: int
    op: int
    ne: ctypes.Array[ctypes.c_int64]
    nb: ctypes.Array[ctypes.c_size_t]
    op_params: ctypes.Array[ctypes.c_int32]
    src: ctypes.Array[ctypes.c_void_p]
    view_src: int | None
    view_offs: int
    _fields_ = (
        ("type", ctypes.c_int),
        ("buffer", ctypes.c_void_p),
        ("ne", ctypes.c_int64 * MAX_DIMS),
        ("nb", ctypes.c_size_t * MAX_DIMS),
        ("op", ctypes.c_int),
        ("op_params", ctypes.c_int32 * 16),
        ("flags", ctypes.c_int32),
        ("src", ctypes.c_void_p * 10),
        ("view_src", ctypes.c_void_p),
        ("view_offs", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("name", ctypes.c_char * 64),
        ("extra", ctypes.c_void_p),
        ("padding", ctypes.c_char * 8),
    )


NAME_OFFSET: int = Tensor.name.offset
_OBJECT_BYTES = 32  # GGML_OBJECT_SIZE, which ggml_tensor_overhead() includes

_base = load_shared_library("ggml-base", llama_cpp.llama_cpp._base_path)
_base.ggml_tensor_overhead.restype = ctypes.c_size_t
_base.ggml_op_name.restype = ctypes.c_char_p
_base.ggml_backend_tensor_get.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
_base.ggml_backend_tensor_get.restype = None
_base.ggml_backend_tensor_get_2d.argtypes = [ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_size_t] * 5
_base.ggml_backend_tensor_get_2d.restype = None

if _base.ggml_tensor_overhead() != ctypes.sizeof(Tensor) + _OBJECT_BYTES:
    raise ImportError("this llama.cpp lays its tensors out in another way than Keepsake knows")


def _operation(name: bytes) -> int:
    return next(code for code in range(256) if _base.ggml_op_name(code) == name)


ROPE = _operation(b"ROPE")


def at(address: int) -> Tensor:
    """The tensor at an address that ggml gave; valid while the graph is."""
    return Tensor.from_address(address)


def read(address: int) -> NDArray[np.float32]:
    """A copy of a contiguous float32 tensor, slowest dimension first, from whichever device holds it."""
    tensor = at(address)
    if tensor.type != F32:
        raise ValueError(f"expected float32, got ggml type {tensor.type}")
    values = np.empty(tuple(tensor.ne)[::-1], np.float32)
    _base.ggml_backend_tensor_get(address, values.ctypes.data, 0, values.nbytes)
    return values


def read_rows(address: int, destination: int, stride: int) -> None:
    """Copies the rows of a contiguous float32 matrix to memory at `destination`, `stride` bytes apart."""
    tensor = at(address)
    _base.ggml_backend_tensor_get_2d(address, destination, 0, tensor.ne[0] * 4, tensor.ne[1], tensor.nb[1], stride)
