'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { linkOf, parseJson } from '@/components/rpc/link'
import { grouped, quantityOf } from '@/components/rpc/response/decode/decoded'
import { type RunState, useRpcRun } from '@/components/rpc/run'
import { CallPrice, Facts } from '@/components/rpc/sign/check-step'
import { callChain, inCoins, type Target } from '@/components/rpc/sign/transaction'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sentence } from '@/components/ui/sentence'
import { isRecord } from '@/lib/browser/api'
import { failureOf } from '@/lib/browser/failure'
import { ApiError } from '@/lib/contract/errors'
import { t } from '@/lib/i18n/t'

type SentStepProps = Target & {
  hash: `0x${string}`
  raw: `0x${string}` | undefined
  onRetry: () => void
  onClose: () => void
}

const RECEIPT = 'eth_getTransactionReceipt'

export function SentStep({ network, isLocal, usdPerCredit, hash, raw, onRetry, onClose }: SentStepProps) {
  const sending = sendingOf(useRpcRun(), raw)
  const receipt = useQuery({
    queryKey: ['rpc', 'receipt', network.slug, hash],
    queryFn: async ({ signal }) => (await awaitReceipt({ network, isLocal }, hash, signal)) ?? null,
    enabled: sending.state === 'accepted',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <div className="mt-4 space-y-4">
      <div className="flex items-start gap-1">
        <p className="min-w-0 flex-1 font-mono text-13 wrap-anywhere">
          <span className="block font-sans text-ink-2">{t('Hash')}</span>
          <span dir="ltr">{hash}</span>
        </p>
        <CopyButton text={hash} label={t('Copy hash')} />
      </div>
      <div role="status" className="text-14">
        {sending.state === 'sending' && <p>{t('Sending…')}</p>}
        {sending.state === 'refused' && (
          <p className="wrap-anywhere text-danger">
            {t('Transaction rejected.')} {sending.message}
          </p>
        )}
        {sending.state === 'accepted' && receipt.isFetching && <p>{t('Sent. Waiting for a block…')}</p>}
        {receipt.data && !receipt.isFetching && (
          <p className={receipt.data.isSuccess ? 'text-ok' : 'text-danger'}>
            {receipt.data.isSuccess
              ? t('Confirmed in block {block}.', { block: Number(receipt.data.block) })
              : t('Reverted in block {block}.', { block: Number(receipt.data.block) })}
          </p>
        )}
        {receipt.data === null && !receipt.isFetching && <p>{t('No receipt yet. The network may take longer.')}</p>}
        {receipt.isError && !receipt.isFetching && (
          <p className="wrap-anywhere text-danger">{failureOf(receipt.error).message}</p>
        )}
      </div>
      {receipt.data && (
        <Facts
          facts={[
            [t('Gas used'), grouped(receipt.data.gasUsed)],
            [t('Fee paid'), receipt.data.fee === undefined ? undefined : inCoins(receipt.data.fee, network)],
            [t('Contract'), receipt.data.contract],
          ]}
        />
      )}
      {sending.state === 'accepted' && !receipt.data && (
        <p className="text-13 text-ink-3">
          <Sentence
            text="Each check costs <price/>, up to {count} checks."
            parts={{ price: () => <CallPrice {...{ network, usdPerCredit }} methods={[RECEIPT]} /> }}
            values={{ count: WAITS_MS.length }}
          />
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {sending.state === 'accepted' && !receipt.data && !receipt.isFetching && (
          <Button onClick={() => void receipt.refetch()}>{t('Check again')}</Button>
        )}
        {receipt.data && (
          <Link
            href={linkOf({ network, method: RECEIPT, params: [hash] }).href}
            prefetch={false}
            onClick={onClose}
            className="inline-flex min-h-9 items-center rounded-control border border-line bg-surface px-3 text-14 font-medium hover:border-control pointer-coarse:min-h-11"
          >
            {t('Open receipt')}
          </Link>
        )}
        {sending.state !== 'sending' && (
          <Button kind="plain" onClick={onRetry}>
            {sending.state === 'refused' ? t('Edit transaction') : t('New transaction')}
          </Button>
        )}
      </div>
    </div>
  )
}

type Sending = { state: 'sending' | 'accepted' } | { state: 'refused'; message: string }

function sendingOf({ phase, call, answer, failure, refusal }: RunState, raw: string | undefined): Sending {
  if (raw === undefined) return { state: 'accepted' }
  if (!isOf(call?.calls[0]?.params, raw) || phase !== 'idle') return { state: 'sending' }
  if (refusal)
    return { state: 'refused', message: t('Nothing was sent. Sign in, then run the call from the playground.') }
  if (failure) return { state: 'refused', message: failure.message }
  if (!answer || !isOf(answer.calls[0]?.params, raw)) return { state: 'refused', message: t('Sending was cancelled.') }
  if (answer.failure) return { state: 'refused', message: answer.failure.message }
  const fault = faultIn(answer.text)
  return fault === undefined ? { state: 'accepted' } : { state: 'refused', message: fault }
}

const isOf = (params: unknown, raw: string): boolean => Array.isArray(params) && params[0] === raw

function faultIn(text: string): string | undefined {
  const reply = parseJson(text)
  if (reply === undefined) return t('The node’s response isn’t valid JSON.')
  if (!isRecord(reply) || !isRecord(reply.error)) return undefined
  const { message } = reply.error
  const reason = typeof message === 'string' ? message : t('The node returned an error.')
  return /already known|known transaction|already imported/i.test(reason) ? undefined : reason.slice(0, 300)
}

// Few, since each is paid.
const WAITS_MS = [800, 1_500, 3_000, 5_000, 8_000, 12_000, 20_000, 30_000]
const MAX_FIRST_WAIT_MS = 4_000

type Receipt = { isSuccess: boolean; block: bigint; gasUsed: bigint; fee?: bigint; contract?: string }

async function awaitReceipt(
  { network, isLocal }: Omit<Target, 'usdPerCredit'>,
  hash: string,
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  const calls = [{ method: RECEIPT, params: [hash] }]
  for (const [look, waitMs] of WAITS_MS.entries()) {
    const isFirstOfSlow = look === 0 && !isLocal
    await pause(isFirstOfSlow ? Math.min(MAX_FIRST_WAIT_MS, network.blockSeconds * 1_000) : waitMs, signal)
    const [reply] = await callChain(network, calls, signal).catch((error: unknown) => {
      // Another call is under way: look again later.
      if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') return []
      throw error
    })
    const receipt = reply && 'result' in reply ? receiptOf(reply.result) : undefined
    if (receipt) return receipt
  }
  return undefined
}

function receiptOf(value: unknown): Receipt | undefined {
  if (!isRecord(value)) return undefined
  const block = quantityOf(value.blockNumber)
  const gasUsed = quantityOf(value.gasUsed)
  if (block === undefined || gasUsed === undefined) return undefined
  const price = quantityOf(value.effectiveGasPrice)
  const { contractAddress: contract } = value
  return {
    isSuccess: quantityOf(value.status) === 1n,
    block,
    gasUsed,
    fee: price === undefined ? undefined : gasUsed * price,
    contract: typeof contract === 'string' && /^0x[\da-f]{40}$/i.test(contract) ? contract : undefined,
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  signal.throwIfAborted()
}
