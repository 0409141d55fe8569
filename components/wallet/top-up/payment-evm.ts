import { ExactEvmScheme } from '@x402/evm/exact/client'
import type { Address, Hex, TypedDataDefinition } from 'viem'
import { X402_VERSION } from '@/components/wallet/top-up/wire'
import type { PaymentOption, PaymentPayload } from '@/lib/browser/wallet-port'

type EvmSigner = { address: Address; signTypedData: (data: TypedDataDefinition) => Promise<Hex> }

/** Signs a USDC transfer that its holder authorises and somebody else sends (EIP-3009): no gas, nothing moves yet. */
export async function evmPayment(
  { address, signTypedData }: EvmSigner,
  option: PaymentOption,
): Promise<PaymentPayload> {
  const scheme = new ExactEvmScheme({
    address,
    // The scheme's own type has lost the shape that viem wants; the values are that shape.
    signTypedData: (data) => signTypedData(data as TypedDataDefinition),
  })
  // A way to pay as it came from the service, whose network is one of ours.
  const { payload } = await scheme.createPaymentPayload(
    X402_VERSION,
    option as Parameters<typeof scheme.createPaymentPayload>[1],
  )
  return payload
}
