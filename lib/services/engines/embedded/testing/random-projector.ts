import {
  encodeGguf,
  type GgufTensor,
  ggufBool,
  ggufFloat32,
  ggufFloat32s,
  ggufText,
  ggufUint32,
} from '../chat/gguf-writer.ts'
import { gaussian, WIDTH as TEXT_WIDTH } from './random-gguf.ts'

const WIDTH = 32
const HEADS = 2
const INNER_WIDTH = 64
const IMAGE_SIZE = 32
const PATCH_SIZE = 4
const PATCHES = (IMAGE_SIZE / PATCH_SIZE) ** 2
/** Of each image, beside the words that mark it. */
export const IMAGE_TOKENS = 4

/** Makes an image projector with random weights, of Gemma 3's kind, for the random chat model. */
export function randomProjector({ textWidth = TEXT_WIDTH, isVision = true } = {}): Buffer {
  const next = gaussian(7)
  const tensor = (name: string, dims: number[], value: () => number): GgufTensor => {
    const values = Float32Array.from({ length: dims.reduce((product, dim) => product * dim, 1) }, value)
    return { name, dims, type: 'f32', data: Buffer.from(values.buffer) }
  }
  const noise = (name: string, ...dims: number[]) => tensor(name, dims, () => next() * 0.3)
  const ones = (name: string, width = WIDTH) => tensor(name, [width], () => 1)
  const zeros = (name: string, width = WIDTH) => tensor(name, [width], () => 0)
  const metadata = [
    ggufText('general.architecture', 'clip'),
    ggufText('general.type', 'mmproj'),
    ggufUint32('general.file_type', 0),
    ggufBool('clip.has_vision_encoder', isVision),
    ggufText('clip.projector_type', 'gemma3'),
    ggufUint32('clip.vision.image_size', IMAGE_SIZE),
    ggufUint32('clip.vision.patch_size', PATCH_SIZE),
    ggufUint32('clip.vision.embedding_length', WIDTH),
    ggufUint32('clip.vision.feed_forward_length', INNER_WIDTH),
    ggufUint32('clip.vision.projection_dim', textWidth),
    ggufUint32('clip.vision.block_count', 1),
    ggufUint32('clip.vision.attention.head_count', HEADS),
    ggufFloat32('clip.vision.attention.layer_norm_epsilon', 1e-6),
    ggufFloat32s('clip.vision.image_mean', [0.5, 0.5, 0.5]),
    ggufFloat32s('clip.vision.image_std', [0.5, 0.5, 0.5]),
    ggufBool('clip.use_gelu', true),
  ]
  const block = 'v.blk.0.'
  const linear = (name: string, from: number, to: number) => [
    noise(`${name}.weight`, from, to),
    zeros(`${name}.bias`, to),
  ]
  const norm = (name: string) => [ones(`${name}.weight`), zeros(`${name}.bias`)]
  const tensors = [
    noise('v.patch_embd.weight', PATCH_SIZE, PATCH_SIZE, 3, WIDTH),
    zeros('v.patch_embd.bias'),
    noise('v.position_embd.weight', WIDTH, PATCHES),
    ...norm(`${block}ln1`),
    ...linear(`${block}attn_q`, WIDTH, WIDTH),
    ...linear(`${block}attn_k`, WIDTH, WIDTH),
    ...linear(`${block}attn_v`, WIDTH, WIDTH),
    ...linear(`${block}attn_out`, WIDTH, WIDTH),
    ...norm(`${block}ln2`),
    ...linear(`${block}ffn_up`, WIDTH, INNER_WIDTH),
    ...linear(`${block}ffn_down`, INNER_WIDTH, WIDTH),
    ...norm('v.post_ln'),
    noise('mm.input_projection.weight', textWidth, WIDTH),
    ones('mm.soft_emb_norm.weight'),
  ]
  return Buffer.concat(encodeGguf(metadata, tensors))
}
