'use client'

import { useQuery } from '@tanstack/react-query'
import { Ban, ChevronDown, ChevronRight, type LucideIcon, RotateCcw, TriangleAlert, Unplug, X } from 'lucide-react'
import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import type { RpcCallDraft } from '@/components/rpc/client'
import { alternativeOf, hintText, listMethods } from '@/components/rpc/method-list'
import { MethodPicker } from '@/components/rpc/method-picker'
import type { MethodDoc, Type } from '@/components/rpc/methods/types'
import { StateDot } from '@/components/rpc/network-rail'
import { fullName, overviewQuery } from '@/components/rpc/networks'
import { LocalNotice, Mono, TierBadge } from '@/components/rpc/notices'
import {
  changeParams,
  chooseMethod,
  chooseNetwork,
  dismissProblem,
  type RequestDraft,
  resetParams,
} from '@/components/rpc/request-draft'
import { Toolbar } from '@/components/rpc/toolbar'
import type { CheckedCall } from '@/components/rpc/use-call'
import { Button, IconButton } from '@/components/ui/button'
import { createPart, usePopover } from '@/components/ui/part'
import { Sentence } from '@/components/ui/sentence'
import type { Offer } from '@/lib/contract/rpc-methods'
import type { NetworkState, RpcNetwork } from '@/lib/contract/rpc-networks'
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
  draft: RequestDraft
  call: CheckedCall
  state: NetworkState | undefined
  onRunBatch: (calls: readonly RpcCallDraft[]) => void
}

export function Request({ draft, call, state, onRunBatch }: RequestProps) {
  const { network, method, view, problem } = draft
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
      <Toolbar draft={draft} call={call} isLocal={state?.isLocal ?? false} />
      <div className="thin-scroll space-y-3 px-4 pt-2 pb-5 md:min-h-0 md:flex-1 md:overflow-y-auto">
        {problem && <Problem text={problem} />}
        <LocalNotice className="lg:hidden" />
        <NetworkNotice network={network} state={state} />
        {view === 'batch' ? (
          <BatchBuilder
            key={draft.batch ? JSON.stringify(draft.batch).slice(0, 2_000) : 'new'}
            network={network}
            isConnected={state?.state !== 'unconfigured'}
            onRun={onRunBatch}
            seed={{ method, params: call.params }}
            calls={draft.batch}
          />
        ) : (
          <>
            <MethodNotice network={network} method={method} offer={offer} onPick={chooseMethod} />
            <Params draft={draft} call={call} />
          </>
        )}
      </div>
    </section>
  )
}

function Params({ draft, call }: Pick<RequestProps, 'draft' | 'call'>) {
  const { doc, params, problems } = call
  if (call.isLoading) return <FormSkeleton />
  return (
    <>
      {doc && (
        <div className="flex items-start gap-1">
          <MethodHelp key={doc.method} doc={doc} />
          <IconButton
            label={t('Reset parameters')}
            onClick={resetParams}
            className={`-me-2 ${draft.params === undefined ? 'invisible' : ''}`}
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
        key={`${draft.network.family} ${draft.method}`}
        doc={doc ?? undefined}
        network={draft.network}
        params={params}
        onChange={changeParams}
        problems={problems}
      />
    </>
  )
}

const Problem = ({ text }: { text: string }) => (
  <Note>
    <div className="flex items-start justify-between gap-2">
      <p className="text-ink-2 wrap-anywhere">{text}</p>
      <IconButton label={t('Dismiss')} className="-my-1.5 -me-1" onClick={dismissProblem}>
        <X aria-hidden="true" />
      </IconButton>
    </div>
  </Note>
)

const FormSkeleton = () => (
  <div aria-hidden="true" className="space-y-4 pt-1">
    <div className="skeleton h-4 w-3/4" />
    <div className="skeleton h-9 w-full" />
    <div className="skeleton h-9 w-full" />
  </div>
)

// A wide page has the list beside it.
const networkSheet = createPart(() => import('@/components/rpc/network-sheet'))

const LOOK =
  'inline-flex min-h-9 shrink-0 items-center gap-2 rounded-control border px-3 text-14 pointer-coarse:min-h-11'

function NetworkButton({ network }: { network: RpcNetwork }) {
  const overview = useQuery(overviewQuery())
  const { trigger, popover } = usePopover(networkSheet)
  const state = overview.data?.stateOf.get(network.slug)?.state ?? 'unknown'
  const dot = <StateDot state={state} isLoading={overview.isPending && !overview.isPaused} />
  return (
    <>
      <button
        {...trigger}
        type="button"
        aria-label={t('Network: {network}', { network: fullName(network) })}
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
      {popover && <popover.part.NetworkSheet {...popover.props} chosen={network} onPick={chooseNetwork} />}
    </>
  )
}

type NetworkNoticeProps = { network: RpcNetwork; state: NetworkState | undefined }

function NetworkNotice({ network, state }: NetworkNoticeProps) {
  if (state?.state !== 'down' && state?.state !== 'unconfigured') return null
  return (
    <Note Icon={Unplug}>
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

const MethodHelp = ({ doc }: { doc: MethodDoc }) => (
  <details className="group/about min-w-0 flex-1 text-14">
    <summary className="-mx-2 flex list-none items-start gap-1.5 rounded-control px-2 py-1.5 text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:py-3 [&::-webkit-details-marker]:hidden">
      <ChevronRight
        aria-hidden="true"
        className="mt-0.5 size-4 shrink-0 text-ink-3 transition-transform group-open/about:rotate-90 rtl:-scale-x-100 rtl:group-open/about:-rotate-90"
        strokeWidth={1.5}
      />
      <span className="min-w-0 wrap-anywhere">{t(doc.summary)}</span>
    </summary>
    <div className="space-y-3 ps-5.5 pt-1 pb-2 text-13 text-ink-2">
      {doc.description && (
        <p lang="en" dir="ltr" className="max-w-140 whitespace-pre-line rtl:text-end">
          {doc.description}
        </p>
      )}
      <div>
        <h3 className="font-medium text-ink">{t('Parameters')}</h3>
        {doc.params.length === 0 ? (
          <p className="mt-1 text-ink-3">{t('None.')}</p>
        ) : (
          <dl className="mt-1 space-y-1.5">
            {doc.params.map((param) => (
              <div key={param.name}>
                <dt className="inline">
                  <Mono className="text-12 text-ink">{param.name}</Mono>{' '}
                  <span className="text-12 text-ink-3">
                    <span lang="en" dir="ltr">
                      {typeName(param.type)}
                    </span>
                    {!param.isRequired && t(', optional')}
                  </span>
                </dt>
                {param.help && (
                  <dd lang="en" dir="ltr" className="rtl:text-end">
                    {param.help}
                  </dd>
                )}
              </div>
            ))}
          </dl>
        )}
      </div>
      <div>
        <h3 className="font-medium text-ink">{t('Result')}</h3>
        <p lang="en" dir="ltr" className="mt-1 rtl:text-end">
          {doc.result.text} <span className="text-12 text-ink-3">{typeName(doc.result.type)}</span>
        </p>
      </div>
    </div>
  </details>
)

const MAX_DEPTH = 2

function typeName(type: Type, depth = 0): string {
  switch (type.kind) {
    case 'data':
      return type.bytes === undefined ? 'hex data' : `${type.bytes} bytes of hex`
    case 'quantity':
      return type.unit === 'wei' ? 'hex quantity, in wei' : 'hex quantity'
    case 'number':
      return type.isWhole ? 'whole number' : 'number'
    case 'choice':
      return type.options.length <= 4
        ? type.options.map(({ value }) => JSON.stringify(value)).join(' or ')
        : `one of ${type.options.length} values`
    case 'block':
      return type.takesHash ? 'block number, tag or hash' : 'block number or tag'
    case 'felt':
      return type.is === undefined ? 'field element' : `field element: ${type.is}`
    case 'list':
      return depth < MAX_DEPTH ? `list of ${typeName(type.of, depth + 1)}` : 'list'
    case 'union':
      return depth < MAX_DEPTH
        ? [...new Set(type.variants.map((variant) => typeName(variant.type, depth + 1)))].join(' or ')
        : 'one of several'
    default:
      return TYPE_NAMES[type.kind] ?? type.kind
  }
}

const TYPE_NAMES: { readonly [K in Type['kind']]?: string } = {
  hash: '32-byte hash',
  blockId: 'block number, hash or tag',
  tuple: 'list',
  map: 'object',
  any: 'any JSON',
}

type MethodNoticeProps = { network: RpcNetwork; method: string; offer: Offer; onPick: (method: string) => void }

function MethodNotice({ network, method, offer, onPick }: MethodNoticeProps) {
  if (offer.isOffered) return <ForeignNotice network={network} method={method} />
  const alternative = alternativeOf(method, network.family)
  const name = <Mono className="text-13">{method}</Mono>
  const title =
    offer.refusal === 'unmapped' ? (
      <Sentence text="Unknown method <method/>." parts={{ method: () => name }} />
    ) : offer.refusal === 'family' ? (
      <Sentence
        text="<method/> isn’t available on {network}."
        parts={{ method: () => name }}
        values={{ network: fullName(network) }}
      />
    ) : (
      <Sentence text="<method/> isn’t supported." parts={{ method: () => name }} />
    )
  return (
    <Note Icon={Ban} colour="text-danger">
      <p className="font-medium wrap-anywhere">{title}</p>
      {offer.refusal === 'unmapped' ? (
        <p className="text-ink-2">
          {t('Only known methods are forwarded, so this call will be rejected. Rejected calls are free.')}
        </p>
      ) : (
        <p className="text-ink-2 first-letter:uppercase">{t('{hint}.', { hint: hintText(offer) })}</p>
      )}
      {alternative && (
        <Button className="mt-2.5" onClick={() => onPick(alternative)}>
          <span>
            <Sentence text="Use <method/>" parts={{ method: () => <Mono className="text-13">{alternative}</Mono> }} />
          </span>
        </Button>
      )}
    </Note>
  )
}

function ForeignNotice({ network, method }: Pick<MethodNoticeProps, 'network' | 'method'>) {
  const entry = listMethods(network).find((one) => one.method === method)
  if (!entry?.isForeign) return null
  return (
    <Note Icon={TriangleAlert}>
      <p className="text-ink-2">
        <Sentence
          text="<method/> is meant for other networks. Nodes on {network} will probably report that the method doesn’t exist."
          parts={{ method: () => <Mono className="text-13 text-ink">{method}</Mono> }}
          values={{ network: fullName(network) }}
        />
      </p>
    </Note>
  )
}

type NoteProps = { Icon?: LucideIcon; colour?: string; children: ReactNode }

const Note = ({ Icon, colour = 'text-ink-2', children }: NoteProps) => (
  <div className="flex gap-2 rounded-card border border-line bg-surface p-3 text-14">
    {Icon && <Icon aria-hidden="true" className={`mt-px size-[18px] shrink-0 ${colour}`} strokeWidth={1.5} />}
    <div className="min-w-0 flex-1">{children}</div>
  </div>
)
