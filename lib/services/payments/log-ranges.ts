import 'server-only'
import { BaseError, HttpRequestError, ResponseBodyTooLargeError, RpcRequestError } from 'viem'

export type BlockRange = { fromBlock: bigint; toBlock: bigint }

/**
 * Reads what blocks have, in their order. Nodes bound the blocks of one question or the size of its answer, each in its own
 * way and words: a range that is refused is read in two halves, down to one block.
 */
export async function inParts<T>(
  fromBlock: bigint,
  toBlock: bigint,
  read: (range: BlockRange) => Promise<T[]>,
): Promise<T[]> {
  try {
    return await read({ fromBlock, toBlock })
  } catch (error) {
    if (fromBlock >= toBlock || !mayBeTooMuch(error)) throw error
    const middle = (fromBlock + toBlock) / 2n
    return [...(await inParts(fromBlock, middle, read)), ...(await inParts(middle + 1n, toBlock, read))]
  }
}

/** The node refused the question, as opposed to not answering at all. */
function mayBeTooMuch(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const refusal = error.walk(
    (cause) =>
      cause instanceof RpcRequestError ||
      cause instanceof ResponseBodyTooLargeError ||
      (cause instanceof HttpRequestError && (cause.status === 400 || cause.status === 413)),
  )
  return refusal !== null
}
