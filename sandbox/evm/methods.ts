/** Methods that would make the node send requests to addresses of the caller's. */
const REFUSED = new Set(['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl'])

const READS =
  /^(eth_(get|call$|chainId|blockNumber|gasPrice|feeHistory|maxPriorityFee|blobBaseFee|estimateGas|fillTransaction|createAccessList|simulate|syncing|accounts)|net_|web3_|debug_|trace_|txpool_|anvil_(dumpState|nodeInfo|metadata|getA))/

export const isRefused = (method: string): boolean => REFUSED.has(method)
export const isRead = (method: string): boolean => READS.test(method)
