/** A few texts; their vectors in the same order, and the tokens of each before anything was cut. */
export type EmbeddingInput = { texts: string[] }
export type EmbeddingOutput = { vectors: Float32Array[]; tokens: number[] }

/** Of the model's vectors. */
export const EMBEDDING_DIMENSIONS = 384

/** The model's window, both marks included. */
export const EMBEDDING_MAX_TOKENS = 256
