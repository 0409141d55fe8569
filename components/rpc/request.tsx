'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronDown, RotateCcw, Unplug, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useRef, useState } from 'react'
import type { RpcCallDraft } from '@/components/rpc/client'
import { LocalNotice } from '@/components/rpc/local-notice'
import { MethodAbout } from '@/components/rpc/method-about'
import { MethodNotice, Note } from '@/components/rpc/method-notice'
import { MethodPicker } from '@/components/rpc/method-picker'
import { StateDot } from '@/components/rpc/network-row'
import { fullName, overviewQuery } from '@/components/rpc/overview'
import {
  changeParams,
  chooseMethod,
  chooseNetwork,
  dismissProblem,
  type RequestDraft,
  resetParams,
} from '@/components/rpc/request-draft'
import { TierBadge } from '@/components/rpc/tier-badge'
import { Toolbar } from '@/components/rpc/toolbar'
import type { CallOnDesk } from '@/components/rpc/use-call'
import { Button, IconButton } from '@/components/ui/button'
import type { NetworkState } from '@/lib/contract/rpc.schema'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

const ParamsForm = dynamic(() => import('@/components/rpc/panels').then((module) => module.ParamsForm), {
  ssr: false,
  loading: () => <FormSkeleton />,
})
const BatchBuilder = dynamic(
  () => import('@/components/rpc/batch/batch-builder').then((module) => module.BatchBuilder),
  { ssr: false, loading: () => <FormSkeleton /> },
)

type RequestProps = {
  desk: RequestDraft
  call: CallOnDesk
  /** How the network does, where that is known. */
  state: NetworkState | undefined
  onRunBatch: (calls: readonly RpcCallDraft[]) => void
}

/** What is asked of whom: network, method, parameters, or a batch of them. */
export function Request({ desk, call, state, onRunBatch }: RequestProps) {
  const { network, method, view, problem } = desk
  const { offer } = call
  return (
    <section
      aria-label={t('Request')}
      className="min-w-0 md:col-start-1 md:row-start-1 md:flex md:min-h-0 md:flex-col lg:col-start-2"
    >
      <h2 className="sr-only">{t('Request')}</h2>
      <div className="flex flex-wrap items-center gap-2 px-4 pt-3 pb-2">
        <NetworkButton network={network} />
        {view === 'call' && (
          <div className="flex min-w-0 flex-1 basis-full items-center gap-2.5">
            <MethodPicker network={network} method={method} isRefused={!offer.isOffered} onPick={chooseMethod} />
            {offer.isOffered && <TierBadge tier={offer.tier} isLong />}
          </div>
        )}
      </div>
      <Toolbar desk={desk} call={call} isLocal={state?.isLocal ?? false} />
      <div className="thin-scroll space-y-3 px-4 pt-2 pb-5 md:min-h-0 md:flex-1 md:overflow-y-auto">
        {problem && <Problem text={problem} />}
        <LocalNotice className="lg:hidden" />
        <NetworkNotice network={network} state={state} />
        {view === 'batch' ? (
          <BatchBuilder
            key={desk.batch ? JSON.stringify(desk.batch).slice(0, 2_000) : 'new'}
            network={network}
            isConnected={state?.state !== 'unconfigured'}
            onRun={onRunBatch}
            seed={{ method, params: call.params }}
            {...(desk.batch && { calls: desk.batch })}
          />
        ) : (
          <>
            <MethodNotice network={network} method={method} offer={offer} onPick={chooseMethod} />
            <Params desk={desk} call={call} />
          </>
        )}
      </div>
    </section>
  )
}

function Params({ desk, call }: Pick<RequestProps, 'desk' | 'call'>) {
  const { doc, params, problems } = call
  if (call.isLoading) return <FormSkeleton />
  return (
    <>
      {doc && (
        <div className="flex items-start gap-1">
          <MethodAbout key={doc.method} doc={doc} />
          <IconButton
            label={t('Reset parameters')}
            onClick={resetParams}
            className={`-me-2 ${desk.params === undefined ? 'invisible' : ''}`}
          >
            <RotateCcw aria-hidden="true" />
          </IconButton>
        </div>
      )}
      {call.hasFailed && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-14">
          <p className="text-ink-2">{t('Couldn’t load the form for this method.')}</p>
          <Button onClick={call.retry}>{t('Try again')}</Button>
        </div>
      )}
      <ParamsForm
        key={`${desk.network.family} ${desk.method}`}
        doc={doc ?? undefined}
        network={desk.network}
        params={params}
        onChange={changeParams}
        problems={problems}
      />
    </>
  )
}

function Problem({ text }: { text: string }) {
  return (
    <Note icon={null}>
      <div className="flex items-start justify-between gap-2">
        <p className="text-ink-2 wrap-anywhere">{text}</p>
        <IconButton label={t('Dismiss')} className="-my-1.5 -me-1" onClick={dismissProblem}>
          <X aria-hidden="true" />
        </IconButton>
      </div>
    </Note>
  )
}

/** As high as most forms are. */
function FormSkeleton() {
  return (
    <div aria-hidden="true" className="space-y-4 pt-1">
      <div className="skeleton h-4 w-3/4" />
      <div className="skeleton h-9 w-full" />
      <div className="skeleton h-9 w-full" />
    </div>
  )
}

const loadSheet = () => import('@/components/rpc/network-sheet').then((module) => module.NetworkSheet)
/** Fetched when it is first opened, or about to be; a page that is wide enough has the list beside it. */
const NetworkSheet = dynamic(loadSheet, { ssr: false })

const LOOK =
  'inline-flex min-h-9 shrink-0 items-center gap-2 rounded-control border px-3 text-14 pointer-coarse:min-h-11'

/** Which network is asked; opens the list where that is not on the page. */
function NetworkButton({ network }: { network: RpcNetwork }) {
  const overview = useQuery(overviewQuery())
  const [sheet, setSheet] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const opener = useRef<HTMLButtonElement>(null)
  const state = overview.data?.stateOf.get(network.slug)?.state ?? 'unknown'
  const dot = <StateDot state={state} isLoading={overview.isPending && !overview.isPaused} />
  return (
    <>
      <button
        ref={opener}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={sheet === 'open'}
        aria-label={t('Network: {network}', { network: fullName(network) })}
        onClick={() => setSheet('open')}
        onPointerEnter={() => void loadSheet()}
        onFocus={() => void loadSheet()}
        className={`${LOOK} border-control bg-surface hover:border-ink-3 max-md:w-full lg:hidden`}
      >
        {dot}
        <span className="flex-1 text-start">{fullName(network)}</span>
        <ChevronDown aria-hidden="true" className="size-4 text-ink-3" strokeWidth={1.5} />
      </button>
      <span className={`${LOOK} border-transparent ps-0 font-medium max-lg:hidden`}>
        {dot}
        {fullName(network)}
      </span>
      {sheet !== 'unopened' && (
        <NetworkSheet
          isOpen={sheet === 'open'}
          onClose={() => setSheet('closed')}
          opener={opener}
          chosen={network}
          onPick={chooseNetwork}
        />
      )}
    </>
  )
}

type NetworkNoticeProps = { network: RpcNetwork; state: NetworkState | undefined }

/** A network that no node answers for: said before somebody waits for it. */
function NetworkNotice({ network, state }: NetworkNoticeProps) {
  if (state?.state !== 'down' && state?.state !== 'unconfigured') return null
  return (
    <Note icon={<Unplug aria-hidden="true" className="mt-px size-[18px] shrink-0 text-ink-2" strokeWidth={1.5} />}>
      <p className="font-medium">
        {state.state === 'down'
          ? t('No {network} node is responding.', { network: fullName(network) })
          : t('{network} isn’t connected to this server.', { network: fullName(network) })}
      </p>
      {state.state === 'unconfigured' && (
        <p className="text-ink-2">{t('Pick another network. The operator of this server can connect a node.')}</p>
      )}
      {state.reason && (
        <p className="text-ink-2">
          <bdi lang="en">{state.reason}</bdi>
        </p>
      )}
    </Note>
  )
}
