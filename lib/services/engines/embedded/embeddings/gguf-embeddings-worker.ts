// Entry of the child process that embeds texts with a model of the hub. Node runs it unbundled.
import { availableParallelism } from 'node:os'
import { getLlama, LlamaLogLevel } from 'node-llama-cpp'
import { serveTasks } from '../task-child.ts'
import { type EmbeddingInput, type EmbeddingOutput, HUB_EMBEDDING_MAX_TOKENS } from '../task-protocol.ts'
import { unitVector } from './pool-vectors.ts'

const MAX_THREADS = 4

serveTasks<EmbeddingInput, EmbeddingOutput>(async (paths) => {
  const threads = Math.min(MAX_THREADS, availableParallelism())
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: threads })
  const model = await llama.loadModel({ modelPath: paths['model.gguf']! })
  const contextSize = Math.min(model.trainContextSize, HUB_EMBEDDING_MAX_TOKENS)
  const context = await model.createEmbeddingContext({ contextSize, batchSize: contextSize, threads })
  return async ({ texts }, signal) => {
    const output: EmbeddingOutput = { vectors: [], tokens: [] }
    for (const text of texts) {
      signal.throwIfAborted()
      const count = context.calculateInputLength(text)
      // Whoever asked is told that a text is too long; its vector is not sent.
      const isWhole = count > 0 && count <= contextSize
      const vector = isWhole
        ? (await context.getEmbeddingFor(text)).vector
        : new Array(model.embeddingVectorSize).fill(0)
      output.vectors.push(unitVector(Float32Array.from(vector)))
      output.tokens.push(count)
    }
    return output
  }
})
