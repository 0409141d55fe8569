/** What the process of the local chains tells the server that started it. */
export type FromSandbox =
  /** They run, and sandbox.json says where. */
  | { type: 'ready' }
  /** They do not run, and the process ends. `isInUse`: those of this folder belong to another server, and may run. */
  | { type: 'failed'; message: string; isInUse: boolean }
