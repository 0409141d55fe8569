'use client'

import { RotateCcw, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import type { RpcCallDraft } from '@/components/rpc/client'
import { LocalNotice } from '@/components/rpc/local-notice'
import { MethodAbout } from '@/components/rpc/method-about'
import { MethodNotice, Note } from '@/components/rpc/method-notice'
import { MethodPicker } from '@/components/rpc/method-picker'
import { NetworkButton } from '@/components/rpc/network-button'
import { NetworkNotice } from '@/components/rpc/network-notice'
import { changeParams, chooseMethod, type Desk, dismissProblem, resetParams } from '@/components/rpc/request-draft'
import { TierBadge } from '@/components/rpc/tier-badge'
import { Toolbar } from '@/components/rpc/toolbar'
import type { CallOnDesk } from '@/components/rpc/use-call'
import { Button, IconButton } from '@/components/ui/button'
import type { NetworkState } from '@/lib/contract/rpc.schema'
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
  desk: Desk
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
