import { headerValue } from '@/components/wallet/top-up/header-value'
import type { PaymentOption, WalletPort } from '@/lib/browser/wallet-port'

export const X402_VERSION = 2

/**
 * Has a wallet sign a payment: one entry of a 402 document's `accepts`, with the amount that was chosen instead of the
 * one it advertises. Nothing is sent. Source: API contract, x402.md 4.2, shape A.
 *
 * @param amountUnits USDC base units.
 * @returns the value of the `PAYMENT-SIGNATURE` header.
 * @throws WalletError
 */
export async function signPayment(port: WalletPort, requirements: PaymentOption, amountUnits: bigint): Promise<string> {
  const accepted = { ...requirements, amount: amountUnits.toString() }
  const payload = await port.signPayment(accepted)
  return headerValue({ x402Version: X402_VERSION, accepted, payload })
}
