/** A few texts, and their vectors in the same order. */
export type EmbeddingInput = { texts: string[] }
export type EmbeddingOutput = { vectors: Float32Array[] }

/** Of the model's vectors. */
export const EMBEDDING_DIMENSIONS = 384
