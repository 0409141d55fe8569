export type FromSandbox =
  | { type: 'ready' }
  /** `isInUse`: the folder's chains belong to another server and may be running. */
  | { type: 'failed'; message: string; isInUse: boolean }
