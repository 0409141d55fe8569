import { SettleError, type SettleResponse, VerifyError, type VerifyResponse } from '@x402/core/types'
import { describe, expect, test } from 'vitest'
import { EVM_NETWORK, USDC_EVM } from '@/lib/contract/chains'
import { fromClient } from '@/lib/services/payments/facilitator'
import type { Payment } from '@/lib/services/payments/payment-types'

const [payer, payTo] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
const payment = {
  family: 'evm',
  network: EVM_NETWORK,
  key: 'key',
  payer,
  amount: 5_000_000n,
  rail: { network: EVM_NETWORK, asset: USDC_EVM, payTo, extra: { name: 'USD Coin', version: '2' } },
  payload: { signature: '0x', authorization: {} },
} as unknown as Payment
const TRANSACTION = `0x${'ab'.repeat(32)}`

const facilitatorThat = (says: { verify?: () => VerifyResponse; settle?: () => SettleResponse }) =>
  fromClient({
    verify: async () => says.verify?.() ?? { isValid: true },
    settle: async () => says.settle?.() ?? { success: true, transaction: TRANSACTION, network: EVM_NETWORK },
    getSupported: async () => ({ kinds: [], extensions: [], signers: {} }),
  })

const settledAs = (errorReason: string | undefined, transaction = '') =>
  facilitatorThat({ settle: () => ({ success: false, errorReason, transaction, network: EVM_NETWORK }) }).settle(
    payment,
  )

describe('a settlement that a facilitator refuses', () => {
  test.each([
    'insufficient_funds',
    'invalid_exact_evm_insufficient_balance',
    'invalid_exact_evm_signature',
    'invalid_exact_evm_payload_authorization_valid_before',
    'invalid_exact_evm_recipient_mismatch',
    'invalid_exact_svm_fee_payer_not_managed_by_facilitator',
    'eip6492_factory_not_allowed',
    'kyt_risk_detected',
    'invalid_exact_solana_payload_amount_insufficient',
  ])('as %s was never sent', async (reason) => {
    expect(await settledAs(reason)).toEqual({ status: 'refused', reason })
  })

  test.each([
    'invalid_exact_evm_nonce_already_used',
    'duplicate_settlement',
    'settlement_pending',
    'invalid_exact_evm_transaction_failed',
    'invalid_exact_evm_transaction_simulation_failed',
    'invalid_transaction_state',
    'transaction_expired',
    'settle_exact_svm_block_height_exceeded',
    'something_new',
    // Codes that hold a word of the others, and were once taken for them.
    'insufficient_confirmations',
    'confirmation_signature_timeout',
    'authorization_expired',
    'post_settlement_transfer_mismatch',
    'invalid_exact_evm_transfer_event_mismatch',
    'invalid_exact_evm_failed_to_get_receipt',
    'invalid_exact_evm_signature_',
    'INSUFFICIENT_FUNDS',
  ])('as %s may have been sent', async (reason) => {
    expect(await settledAs(reason)).toMatchObject({ status: 'unknown', reason })
  })

  test('may have been sent if it names a transaction, or no reason', async () => {
    expect(await settledAs('insufficient_funds', TRANSACTION)).toEqual({
      status: 'unknown',
      reason: 'insufficient_funds',
      transaction: TRANSACTION,
    })
    expect(await settledAs(undefined)).toMatchObject({ status: 'unknown' })
  })

  // What viem says of a broadcast whose answer was lost; some facilitators hand it on as their reason.
  const LOST = `The request took too long to respond.

URL: https://base.example/v2/secret-key
Request body: {"method":"eth_sendRawTransaction","params":["0x02f8"]}
Contract Call:
  function:  transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)
Details: The request timed out and has expired. insufficient patience`

  test('in words instead of a code may have been sent, and its words stay here', async () => {
    expect(await settledAs(LOST)).toEqual({ status: 'unknown', reason: 'refused', transaction: undefined })
    const thrown = facilitatorThat({
      settle: () => {
        throw new SettleError(400, { success: false, errorReason: LOST, transaction: '', network: EVM_NETWORK })
      },
    })
    expect(await thrown.settle(payment)).toEqual({ status: 'unknown', reason: 'refused', transaction: undefined })
  })
})

describe('a payment that a facilitator does not verify', () => {
  const verifiedAs = (invalidReason: string | undefined) =>
    facilitatorThat({ verify: () => ({ isValid: false, invalidReason }) }).verify(payment)

  test('is invalid for a reason that is a code', async () => {
    expect(await verifiedAs('invalid_exact_evm_insufficient_balance')).toEqual({
      status: 'invalid',
      reason: 'invalid_exact_evm_insufficient_balance',
    })
    expect(await verifiedAs('no RPC at https://base.example/v2/secret-key')).toEqual({
      status: 'invalid',
      reason: 'refused',
    })
    expect(await verifiedAs(undefined)).toEqual({ status: 'invalid', reason: 'refused' })
  })

  test.each(['invalid_exact_evm_nonce_already_used', 'duplicate_settlement', 'settlement_pending'])(
    'as %s may be paid already',
    async (reason) => {
      expect(await verifiedAs(reason)).toEqual({ status: 'taken', reason })
      const thrown = facilitatorThat({
        verify: () => {
          throw new VerifyError(400, { isValid: false, invalidReason: reason })
        },
      })
      expect(await thrown.verify(payment)).toEqual({ status: 'taken', reason })
    },
  )
})
