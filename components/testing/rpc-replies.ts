const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const HOLDER = 'd8da6bf26964af9d7eed9e03e53415d37aa96045'
const TOKEN = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

/** Encodes digits of a number as a word of the EVM. */
export const word = (digits: string) => `0x${digits.padStart(64, '0')}`

/** A log of a transfer of a token with six decimals; each index another one. */
export const transferLog = (index: number) => ({
  address: TOKEN,
  topics: [TRANSFER, word(HOLDER), word(TOKEN.slice(2))],
  data: word((1_000_000 + index).toString(16)),
  blockNumber: `0x${(19_000_000 + index).toString(16)}`,
  transactionHash: `0x${index.toString(16).padStart(64, 'c')}`,
  logIndex: `0x${index.toString(16)}`,
  removed: false,
})

/** The receipt of one transfer. */
export const RECEIPT = {
  blockHash: `0x${'ab'.repeat(32)}`,
  blockNumber: '0x14a3b7c',
  effectiveGasPrice: '0x2540be400',
  from: `0x${HOLDER}`,
  gasUsed: '0xb41d',
  cumulativeGasUsed: '0xb41d',
  logs: [transferLog(0)],
  logsBloom: `0x${'01'.repeat(256)}`,
  status: '0x1',
  type: '0x2',
}
