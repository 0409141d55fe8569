'use client'

import { useQuery } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { useId, useMemo, useRef, useState } from 'react'
import { getAddress, isAddress } from 'viem/utils'
import { Fields } from '@/components/rpc/form/field'
import { ExtraValues, FormFactsProvider, Problems, problemIndex, useForm } from '@/components/rpc/form/field-frame'
import {
  paramsStruct,
  printJson,
  readParams,
  restOf,
  shapeOf,
  unknownFields,
  withField,
} from '@/components/rpc/form/value'
import {
  type MethodDoc,
  type ParamDoc,
  type ParamPath,
  type ParamProblem,
  startParams,
  type Type,
  variantOf,
} from '@/components/rpc/methods/types'
import { Button } from '@/components/ui/button'
import { CodeEditor } from '@/components/ui/code-editor'
import { isRecord } from '@/lib/browser/api'
import { sessionQuery } from '@/lib/browser/queries'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

type Tab = 'form' | 'json'

type ParamsFormProps = {
  // `undefined` for an unknown method, which is written as JSON.
  doc: MethodDoc | undefined
  network: RpcNetwork
  params: unknown
  onChange: (params: unknown) => void
  problems: readonly ParamProblem[]
}

// The tab that was chosen last, also for the next method.
let lastTab: Tab = 'form'

const TAB =
  '-mb-px inline-flex min-h-9 items-center border-b-2 border-transparent px-2.5 text-13 font-medium text-ink-3 transition-colors ' +
  'hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:min-h-11 pointer-coarse:px-4'

export function ParamsForm({ doc, network, params, onChange, problems }: ParamsFormProps) {
  const headingId = useId()
  const [tab, setTab] = useState<Tab>(doc ? lastTab : 'json')
  const [draft, setDraft] = useState<JsonDraft>()
  const wallet = useWalletAddress()
  const isUnread = draft?.fault !== undefined && draft.printed === printJson(params)
  const showTab = (next: Tab) => {
    lastTab = next
    setTab(next)
  }
  const facts = useMemo(
    () => ({ network, wallet, showJson: () => setTab('json'), ...problemIndex(problems) }),
    [network, wallet, problems],
  )
  return (
    <FormFactsProvider value={facts}>
      <Tabs.Root value={doc ? tab : 'json'} onValueChange={(next) => showTab(next as Tab)}>
        <div className="mb-3 flex items-center justify-between gap-3 border-b border-line">
          <h3 id={headingId} className="text-13 font-medium text-ink-2">
            {t('Parameters')}
          </h3>
          {doc && (
            <Tabs.List aria-labelledby={headingId} className="flex">
              <Tabs.Trigger value="form" className={TAB}>
                {t('Form')}
              </Tabs.Trigger>
              <Tabs.Trigger value="json" className={TAB}>
                JSON
              </Tabs.Trigger>
            </Tabs.List>
          )}
        </div>
        {doc && (
          <Tabs.Content value="form" tabIndex={-1} className="outline-none">
            {isUnread && (
              <p className="mb-3 rounded-control bg-sunken px-3 py-2 text-13 text-ink-2">
                {t(
                  'The JSON tab isn’t valid yet. The form shows the last valid parameters; editing here replaces the JSON.',
                )}
              </p>
            )}
            <ParamFields doc={doc} params={params} onChange={onChange} />
          </Tabs.Content>
        )}
        <Tabs.Content value="json" tabIndex={-1} className="outline-none">
          {!doc && (
            <p className="mb-2 text-13 text-ink-2">
              {t('Unknown method: no form is available and parameters aren’t checked.')}
            </p>
          )}
          <JsonTab {...{ draft, doc, params, onChange, problems }} onDraft={setDraft} />
        </Tabs.Content>
      </Tabs.Root>
    </FormFactsProvider>
  )
}

function useWalletAddress(): string | undefined {
  const { data: session } = useQuery(sessionQuery())
  const address = session?.family === 'evm' ? session.address : undefined
  return typeof address === 'string' && isAddress(address, { strict: false }) ? getAddress(address) : undefined
}

type ParamFieldsProps = { doc: MethodDoc; params: unknown; onChange: (params: unknown) => void }

function ParamFields({ doc, params, onChange }: ParamFieldsProps) {
  const id = useId()
  const { problemsAt } = useForm()
  if (shapeOf(doc, params) === 'other') return <NotShown doc={doc} onChange={onChange} />
  const struct = paramsStruct(doc, params)
  const rest = struct.kind === 'tuple' ? restOf(doc.params, params).length : 0
  const extra =
    rest > 0
      ? [plural(rest, { one: '{count} more parameter', other: '{count} more parameters' })]
      : unknownFields(doc.params, params)
  if (doc.params.length === 0 && extra.length === 0) {
    return <p className="text-14 text-ink-3">{t('This method takes no parameters.')}</p>
  }
  const removeExtra = (name: string) =>
    onChange(Array.isArray(params) ? params.slice(0, doc.params.length) : withField(params, name, undefined))
  return (
    <div className="space-y-4">
      <Problems id={id} problems={problemsAt([])} onFix={onChange} />
      <Fields struct={struct} path={[]} value={params} onChange={onChange} />
      <ExtraValues names={extra} path={[]} onRemove={removeExtra} />
    </div>
  )
}

function NotShown({ doc, onChange }: { doc: MethodDoc; onChange: (params: unknown) => void }) {
  const { showJson } = useForm()
  return (
    <div className="rounded-control bg-sunken px-3 py-3 text-14 text-ink-2">
      <p>
        {doc.paramsBy === 'place'
          ? t('This method takes an array of parameters. The current value isn’t an array, so the form can’t show it.')
          : t(
              'This method takes its parameters as an object or array. The current value is neither, so the form can’t show it.',
            )}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button onClick={showJson}>{t('Show as JSON')}</Button>
        <Button onClick={() => onChange(startParams(doc))}>{t('Use example')}</Button>
      </div>
    </div>
  )
}

const MIN_LINES = 6
const MAX_LINES = 24
const NO_PROBLEMS: ParamProblem[] = []

// Typed text with the printed parameters of that moment: it is shown while those are the same.
type JsonDraft = { text: string; printed: string | undefined; fault?: string }

type JsonTabProps = {
  draft: JsonDraft | undefined
  onDraft: (draft: JsonDraft) => void
  doc: MethodDoc | undefined
  params: unknown
  onChange: (params: unknown) => void
  problems: readonly ParamProblem[]
}

// Invalid text stays as typed, and the call keeps the last valid parameters.
function JsonTab({ draft, onDraft, doc, params, onChange, problems }: JsonTabProps) {
  const host = useRef<HTMLDivElement>(null)
  const printed = useMemo(() => printJson(params), [params])
  const isCurrent = draft !== undefined && draft.printed === printed
  const text = isCurrent ? draft.text : (printed ?? '')
  const fault = isCurrent ? draft.fault : undefined
  const change = (next: string) => {
    const read = readParams(next)
    if ('fault' in read) return onDraft({ text: next, printed, fault: read.fault })
    onDraft({ text: next, printed: printJson(read.value) })
    onChange(read.value)
  }
  // The editor keeps the keys to itself; whoever runs the call listens further out.
  const run = () => {
    host.current?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }),
    )
  }
  if (printed === undefined) {
    return <p className="text-14 text-ink-2">{t('These parameters are too large to show. They are sent unchanged.')}</p>
  }
  return (
    <div ref={host}>
      <CodeEditor
        value={text}
        onChange={change}
        label={t('Parameters as JSON')}
        problems={fault === undefined ? problems : NO_PROBLEMS}
        onRun={run}
        minLines={MIN_LINES}
        maxLines={MAX_LINES}
      />
      <div aria-live="polite" className="mt-1.5 min-h-5 text-13">
        {fault === undefined ? (
          <Summary {...{ doc, params, problems }} />
        ) : (
          <p className="text-danger">
            {fault} {t('The form and the call keep the last valid parameters.')}
          </p>
        )}
      </div>
    </div>
  )
}

function Summary({ doc, params, problems }: Pick<JsonTabProps, 'doc' | 'params' | 'problems'>) {
  const [first] = problems
  if (!first) return null
  const place = placeName(doc, params, first.path)
  return (
    <p className={first.severity === 'error' ? 'text-danger' : 'text-ink-2'}>
      {place && (
        <>
          <bdi lang="en">{place}</bdi>:{' '}
        </>
      )}
      {first.message}
      {problems.length > 1 && (
        <span className="text-ink-3">
          {' '}
          {plural(problems.length - 1, { one: 'And {count} more.', other: 'And {count} more.' })}
        </span>
      )}
    </p>
  )
}

const MAX_STEP_CHARS = 24

/** Names a place by its labels. @example placeName(doc, [{ data: '0x1' }], [0, 'data']) // 'Call › Data' */
export function placeName(doc: MethodDoc | undefined, params: unknown, path: ParamPath): string {
  let type: Type | undefined =
    doc && (isRecord(params) ? { kind: 'object', fields: doc.params } : { kind: 'tuple', items: doc.params })
  let value = params
  const steps = path.map((step) => {
    type = type && insideOf(type, value)
    const field: ParamDoc | undefined = type && fieldAt(type, step)
    const label = field?.label ?? stepLabel(type, step)
    value = Array.isArray(value) || isRecord(value) ? (value as Record<string | number, unknown>)[step] : undefined
    type = field?.type ?? (type?.kind === 'list' ? type.of : type?.kind === 'map' ? type.value : undefined)
    return label
  })
  return steps.join(' › ')
}

const insideOf = (type: Type, value: unknown): Type | undefined =>
  type.kind === 'union' ? variantOf(type.variants, value)?.type : type

function fieldAt(type: Type, step: string | number): ParamDoc | undefined {
  if (type.kind === 'tuple') return type.items[Number(step)]
  return type.kind === 'object' ? type.fields.find(({ name }) => name === step) : undefined
}

const stepLabel = (type: Type | undefined, step: string | number): string =>
  typeof step !== 'number'
    ? step.slice(0, MAX_STEP_CHARS)
    : type?.kind === 'list'
      ? `${type.item} ${step + 1}`
      : t('Entry {place}', { place: String(step + 1) })
