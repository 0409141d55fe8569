import type { RpcAnswer } from '@/components/rpc/client'

const LONGEST_NAME_CHARS = 80

/** Hands the body over as a file, as it came. */
export function downloadBody(answer: RpcAnswer): void {
  const url = URL.createObjectURL(new Blob([answer.text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName(answer)
  link.click()
  // The click has read it by the next turn.
  setTimeout(() => URL.revokeObjectURL(url))
}

/** @example fileName(answer) // "eth_getBlockByNumber-base-mainnet-20261120-201530.json" */
export function fileName({ calls, isBatch, network, at }: RpcAnswer): string {
  const method = isBatch ? 'batch' : (calls[0]?.method ?? 'response')
  const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  const safe = method.replace(/[^\w-]/g, '').slice(0, LONGEST_NAME_CHARS) || 'response'
  return `${safe}-${network}-${time}.json`
}
