import type { Family } from '@/lib/contract/chains'

export type SignInFields = {
  family: Family
  domain: string
  address: string
  statement?: string | undefined
  uri: string
  // Bare reference: `8453`, or Solana's.
  chainId: string
  nonce: string
  issuedAt: string
  expirationTime?: string | undefined
  notBefore?: string | undefined
  requestId?: string | undefined
  resources?: readonly string[] | undefined
}

/**
 * Builds the message to sign: EIP-4361 for EVM, its equivalent for Solana. Without a statement the EVM message has two
 * empty lines where the Solana one has one. Source: API contract, x402.md 3.3.
 */
export function signInText(fields: SignInFields): string {
  const chain = fields.family === 'evm' ? 'Ethereum' : 'Solana'
  const lines = [`${fields.domain} wants you to sign in with your ${chain} account:`, fields.address, '']
  if (fields.statement !== undefined && fields.statement !== '') lines.push(fields.statement, '')
  else if (fields.family === 'evm') lines.push('')
  lines.push(
    `URI: ${fields.uri}`,
    'Version: 1',
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
  )
  if (fields.expirationTime !== undefined) lines.push(`Expiration Time: ${fields.expirationTime}`)
  if (fields.notBefore !== undefined) lines.push(`Not Before: ${fields.notBefore}`)
  if (fields.requestId !== undefined) lines.push(`Request ID: ${fields.requestId}`)
  if (fields.resources && fields.resources.length > 0) {
    lines.push('Resources:', ...fields.resources.map((resource) => `- ${resource}`))
  }
  return lines.join('\n')
}
