"""Hugging Face's models, tiny and with random weights, are judges of ours: logits and words.

A model of ours is made of the book's functions and of their matrices. It writes with our cache, and
theirs writes with theirs.
"""

import pytest
import torch
from torch.nn import functional

from attnbook import pytorch
from attnbook.pytorch import KVCache

try:
    import transformers
except ImportError:
    pytest.skip("this machine has no transformers", allow_module_level=True)


def llama():
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    config = transformers.LlamaConfig(vocab_size=61, **sizes, **heads, initializer_range=0.3)
    return transformers.LlamaForCausalLM(config).eval()


def gpt2():
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=61, n_embd=32, n_layer=2, n_head=4, n_positions=64, initializer_range=0.3
    )
    return transformers.GPT2LMHeadModel(config).eval()


def attended(q, k, v, cache):
    k, v, mask = cache.update(k, v)
    k, v = (pytorch.repeat_heads(x, q.shape[-3] // x.shape[-3]) for x in (k, v))
    return pytorch.merge_heads(pytorch.scaled_dot_product_attention(q, k, v, mask=mask))


def as_llama(model, tokens, caches):
    theta, x = pytorch.frequencies(8), model.model.embed_tokens(tokens)
    at = caches[0].positions(len(tokens))
    for layer, cache in zip(model.model.layers, caches, strict=True):
        y, own = layer.input_layernorm(x), layer.self_attn
        heads = (own.q_proj, 4), (own.k_proj, 2), (own.v_proj, 2)
        q, k, v = (pytorch.split_heads(w(y), n) for w, n in heads)
        q, k = (pytorch.rope(z, at, theta, "halves") for z in (q, k))
        x = x + own.o_proj(attended(q, k, v, cache))
        y, dense = layer.post_attention_layernorm(x), layer.mlp
        x = x + dense.down_proj(functional.silu(dense.gate_proj(y)) * dense.up_proj(y))
    return model.lm_head(model.model.norm(x))


def as_gpt2(model, tokens, caches):
    at = caches[0].positions(len(tokens))
    x = model.transformer.wte(tokens) + model.transformer.wpe(at)
    for layer, cache in zip(model.transformer.h, caches, strict=True):
        joint = layer.attn.c_attn(layer.ln_1(x))
        q, k, v = (pytorch.split_heads(y, 4) for y in joint.chunk(3, dim=-1))
        x = x + layer.attn.c_proj(attended(q, k, v, cache))
        x = x + layer.mlp(layer.ln_2(x))
    return model.lm_head(model.transformer.ln_f(x))


CASES = [(llama, as_llama), (gpt2, as_gpt2)]
PROMPT = torch.tensor([3, 14, 15, 9, 26])


@pytest.mark.parametrize(("make", "ours"), CASES)
@torch.no_grad()
def test_logits_are_equal(make, ours):
    """Float32, logits below 10 in size: 1e-5 is ten units in the last place of the largest."""
    model, text = make(), torch.arange(24) * 7 % 61
    caches = [KVCache(24) for _ in range(2)]
    found = torch.cat([ours(model, piece, caches) for piece in text.split([5, 1, 1, 9, 8])])
    torch.testing.assert_close(found, model(text[None]).logits[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("make", "ours"), CASES)
@torch.no_grad()
def test_the_same_words_are_written(make, ours):
    model, tokens = make(), PROMPT
    caches = [KVCache(30) for _ in range(2)]
    for _ in range(24):
        logits = ours(model, tokens[caches[0].length :], caches)
        tokens = torch.cat([tokens, logits[-1:].argmax(dim=-1)])
    theirs = model.generate(
        PROMPT[None],
        attention_mask=torch.ones(1, 5),
        max_new_tokens=24,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )
    assert tokens.tolist() == theirs[0].tolist()


@pytest.mark.parametrize(("make", "ours"), CASES)
@torch.no_grad()
def test_words_at_positions_that_start_again_are_not_theirs(make, ours, monkeypatch):
    monkeypatch.setattr(KVCache, "positions", lambda cache, n: torch.arange(n))
    with pytest.raises(AssertionError):
        test_logits_are_equal(make, ours)
