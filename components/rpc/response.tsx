'use client'

import dynamic from 'next/dynamic'
import { type Ref, useState } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import { fallbackFor } from '@/components/rpc/method-list'
import { networkName } from '@/components/rpc/networks'
import { Mono } from '@/components/rpc/notices'
import { chooseMethod, openRequest, type RequestDraft, readRequestDraft } from '@/components/rpc/request-draft'
import type { Use } from '@/components/rpc/response/decode/decoded'
import type { RunState } from '@/components/rpc/run'
import { methodQuery } from '@/components/rpc/use-call'
import { Sentence } from '@/components/ui/sentence'
import { showToast } from '@/components/ui/toast'
import { queryClient } from '@/lib/browser/queries'
import type { RpcFamily } from '@/lib/contract/rpc-networks'
import { formatDate, msg, plural, t } from '@/lib/i18n/t'

const ResponsePanel = dynamic(() => import('@/components/rpc/panels').then((module) => module.ResponsePanel), {
  ssr: false,
  loading: () => <div className="flex-1" />,
})
const Compare = dynamic(() => import('@/components/rpc/compare').then((module) => module.Compare), { ssr: false })

type ResponseProps = { ref: Ref<HTMLElement>; draft: RequestDraft; run: RunState; onRun: () => void }

export function Response({ ref, draft, run, onRun }: ResponseProps) {
  const { answer, failure, phase } = run
  const [compared, setCompared] = useState<RpcAnswer>()
  return (
    <section
      ref={ref}
      aria-label={t('Response')}
      className="flex min-h-80 min-w-0 flex-col border-line max-md:shrink-0 max-md:border-t md:col-start-2 md:row-span-3 md:row-start-1 md:min-h-0 md:border-s lg:col-start-3"
    >
      <h2 className="sr-only">{t('Response')}</h2>
      {answer && <AnswerOrigin draft={draft} answer={answer} isOld={run.isOld} />}
      <div className="flex min-h-32 flex-1 flex-col md:min-h-0">
        <ResponsePanel
          answer={answer}
          isRunning={phase === 'running'}
          // The run bar shows that one, with the way on.
          failure={failure?.code === 'CAP_PER_DAY' ? undefined : failure}
          onOpenChat={(of) => void openChat(of)}
          onCompare={setCompared}
          onUse={(use) => void insertValue(use)}
          onRun={onRun}
        />
      </div>
      {!answer && !failure && phase === 'idle' && <Starters family={draft.network.family} method={draft.method} />}
      {compared && <Compare answer={compared} onClose={() => setCompared(undefined)} />}
    </section>
  )
}

type AnswerOriginProps = { draft: RequestDraft; answer: RpcAnswer; isOld: boolean }

function AnswerOrigin({ draft, answer, isOld }: AnswerOriginProps) {
  const isOfDraft = answer.isBatch ? draft.view === 'batch' : answer.calls[0]?.method === draft.method
  if (!isOld && isOfDraft && answer.network === draft.network.slug) return null
  const at = new Date(answer.at)
  const calls = answer.isBatch
    ? plural(answer.calls.length, { one: '{count} call', other: '{count} calls' })
    : answer.calls[0]?.method
  return (
    <p className="shrink-0 border-b border-line bg-sunken px-4 py-1.5 text-12 text-ink-3 wrap-anywhere">
      <Sentence
        text={
          isOld
            ? msg('Saved response to <call/> on {network}, <at/>. Nothing was sent.')
            : msg('Response to <call/> on {network}, <at/>')
        }
        parts={{
          call: () => <span className="font-mono">{calls}</span>,
          at: () => (
            <time dateTime={at.toISOString()}>
              {formatDate(at, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })}
            </time>
          ),
        }}
        values={{ network: networkName(answer.network) }}
      />
    </p>
  )
}

/** Inserts a value of the response into the drafted call, or else into one that takes it. */
async function insertValue(use: Use): Promise<void> {
  const { network, method, params } = readRequestDraft()
  const { putValue } = await import('@/components/rpc/panels')
  const known = (name: string) =>
    queryClient()
      .ensureQueryData(methodQuery(network.family, name))
      .catch(() => null)
  const current = await known(method)
  const inserted = current && putValue(current.doc, params ?? current.start, use)
  const action = { label: t('Undo'), run: () => openRequest(network, [{ method, params }], false) }
  if (inserted) {
    openRequest(network, [{ method, params: inserted.params }], false)
    return showToast({ text: t('Inserted into “{place}”', { place: inserted.place }), action })
  }
  const fallback = fallbackFor(network.family, use.kind)
  if (fallback === undefined) return showToast({ text: t('This call has no matching parameter.') })
  const other = await known(fallback)
  const insertedThere = other && putValue(other.doc, other.start, use)
  if (!insertedThere) return chooseMethod(fallback)
  openRequest(network, [{ method: fallback, params: insertedThere.params }], false)
  showToast({ text: t('Inserted into {method}', { method: fallback }), action })
}

async function openChat(answer: RpcAnswer): Promise<void> {
  const { openChatAbout } = await import('@/components/rpc/snippets/chat-about')
  await openChatAbout(answer)
}

type Starter = { method: string; label: string }

const STARTERS: Record<RpcFamily, readonly Starter[]> = {
  evm: [
    { method: 'eth_getBlockByNumber', label: msg('Latest block') },
    { method: 'eth_getBalance', label: msg('Native balance of an address') },
    { method: 'eth_call', label: msg('Call a contract') },
    { method: 'eth_feeHistory', label: msg('Recent gas fees') },
    { method: 'eth_getLogs', label: msg('Contract events') },
  ],
  starknet: [
    { method: 'starknet_getBlockWithTxHashes', label: msg('Latest block') },
    { method: 'starknet_call', label: msg('Call a contract') },
    { method: 'starknet_getEvents', label: msg('Contract events') },
    { method: 'starknet_getClassAt', label: msg('Code at an address') },
  ],
}

type StartersProps = { family: RpcFamily; method: string }

const Starters = ({ family, method }: StartersProps) => (
  <section aria-label={t('Example calls')} className="shrink-0 px-2 pb-4">
    <h3 className="px-2 pb-1 text-12 font-medium text-ink-3">{t('Examples')}</h3>
    <ul>
      {STARTERS[family].map((starter) => (
        <li key={starter.method}>
          <button
            type="button"
            aria-pressed={starter.method === method}
            onClick={() => chooseMethod(starter.method)}
            className="flex min-h-9 w-full flex-wrap items-baseline justify-between gap-x-4 rounded-control px-2 py-1.5 text-start text-14 hover:bg-hover aria-pressed:bg-accent-soft pointer-coarse:min-h-11 pointer-coarse:items-center"
          >
            {t(starter.label)}
            <Mono className="text-12 text-ink-3">{starter.method}</Mono>
          </button>
        </li>
      ))}
    </ul>
  </section>
)
