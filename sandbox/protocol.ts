export type FromSandbox = { type: 'ready' } | { type: 'failed'; message: string; isInUse: boolean }
