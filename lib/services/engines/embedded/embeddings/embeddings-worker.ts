// Entry of the child process that embeds texts. Node runs it unbundled.
import { readFile } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { serveTasks } from '../task-child.ts'
import {
  EMBEDDING_DIMENSIONS,
  EMBEDDING_MAX_TOKENS,
  type EmbeddingInput,
  type EmbeddingOutput,
} from '../task-protocol.ts'
import { openSession } from '../weights/onnx-session.ts'
import { meanUnitVector } from './pool-vectors.ts'

serveTasks<EmbeddingInput, EmbeddingOutput>(async (paths) => {
  const [tokenizer, session] = await Promise.all([loadTokenizer(paths), openSession(paths['model.onnx'])])
  return async ({ texts }, signal) => {
    const output: EmbeddingOutput = { vectors: [], tokens: [] }
    for (const text of texts) {
      signal.throwIfAborted()
      const { ids } = tokenizer.encode(text)
      output.vectors.push(await vectorOf(session, withinWindow(ids)))
      output.tokens.push(ids.length)
    }
    return output
  }
})

async function loadTokenizer(paths: Record<string, string>): Promise<Tokenizer> {
  const read = async (name: string): Promise<object> => JSON.parse(await readFile(paths[name] ?? '', 'utf8'))
  return new Tokenizer(await read('tokenizer.json'), await read('tokenizer_config.json'))
}

function withinWindow(ids: number[]): number[] {
  return ids.length <= EMBEDDING_MAX_TOKENS ? ids : [...ids.slice(0, EMBEDDING_MAX_TOKENS - 1), ids.at(-1)!]
}

// Embeds one text at a time: in a batch a text's vector would depend on its neighbours (by one part in a hundred), and
// on two cores a batch is hardly faster.
async function vectorOf(session: InferenceSession, ids: number[]): Promise<Float32Array> {
  const dims = [1, ids.length]
  const { last_hidden_state: states } = await session.run({
    input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), dims),
    attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), dims),
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), dims),
  })
  if (!(states?.data instanceof Float32Array)) throw new Error('the model gave no states')
  return meanUnitVector(states.data, EMBEDDING_DIMENSIONS)
}
