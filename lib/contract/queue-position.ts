/** Reply of `GET /api/queue-positions/{requestId}`: place in line for a model, from 1; null for what does not wait. */
export type QueuePositionReply = { position: number | null }
