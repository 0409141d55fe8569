import { verifyTypedData } from 'viem'
import { expect, test } from 'vitest'
import { connectTest } from '@/components/wallet/connect/test-wallet'
import { signPayment } from '@/components/wallet/top-up/wire'
import type { PaymentOption } from '@/lib/browser/wallet-port'
import { EVM_NETWORK, USDC_EVM } from '@/lib/contract/chains'

const OPTION: PaymentOption = {
  scheme: 'exact',
  network: EVM_NETWORK,
  asset: USDC_EVM,
  amount: '5000000',
  payTo: '0x1111111111111111111111111111111111111111',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}

const TRANSFER = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

type Decoded = {
  x402Version: number
  accepted: PaymentOption
  payload: {
    signature: `0x${string}`
    authorization: Record<'from' | 'to' | 'nonce', `0x${string}`> &
      Record<'value' | 'validAfter' | 'validBefore', string>
  }
}

const decode = (header: string): Decoded => JSON.parse(Buffer.from(header, 'base64').toString('utf8'))

test('signs the amount that was chosen, for the receiver and the token that the service named', async () => {
  const port = await connectTest('evm')
  const { x402Version, accepted, payload } = decode(await signPayment(port, OPTION, 12_500_000n))
  expect(x402Version).toBe(2)
  expect(accepted).toEqual({ ...OPTION, amount: '12500000' })
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization
  expect({ from, to, value }).toEqual({ from: port.address, to: OPTION.payTo, value: '12500000' })
  const isSigned = await verifyTypedData({
    address: from,
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC_EVM },
    types: { TransferWithAuthorization: TRANSFER },
    primaryType: 'TransferWithAuthorization',
    message: {
      from,
      to,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
    },
    signature: payload.signature,
  })
  expect(isSigned).toBe(true)
})

test('makes every payment another one', async () => {
  const port = await connectTest('evm')
  const [one, other] = [await signPayment(port, OPTION, 5_000_000n), await signPayment(port, OPTION, 5_000_000n)]
  expect(decode(one).payload.authorization.nonce).not.toBe(decode(other).payload.authorization.nonce)
})
