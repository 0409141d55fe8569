import { parentPort } from 'node:worker_threads'
import { recoverMessageAddress } from 'viem/utils'

export type RecoveryJob = { text: string; signature: `0x${string}` }
/** One for every job, in their order. `address` in lower case; undefined when the signature is of no key. */
export type RecoveryAnswer = { address?: string }

parentPort?.on('message', async ({ text, signature }: RecoveryJob) => {
  const address = await recoverMessageAddress({ message: text, signature }).catch(() => undefined)
  parentPort?.postMessage({ address: address?.toLowerCase() } satisfies RecoveryAnswer)
})
