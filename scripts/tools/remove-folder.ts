import { rm } from 'node:fs/promises'

/** Removes a folder and what is in it. Processes that are ending may still write into it for some seconds. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
