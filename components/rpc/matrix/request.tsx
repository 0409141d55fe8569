'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { paramsOf } from '@/components/rpc/link'
import { NetworkPicks } from '@/components/rpc/matrix/network-picks'
import { printed } from '@/components/rpc/matrix/printed'
import { familyOf, type NetworkPick, networksFor } from '@/components/rpc/matrix-request'
import { MethodPicker } from '@/components/rpc/method-picker'
import { listMethods, type MethodEntry } from '@/components/rpc/methods/list-methods'
import { SHOWN_NETWORKS } from '@/components/rpc/overview'
import { methodQuery } from '@/components/rpc/use-call'
import { CodeEditor } from '@/components/ui/code-editor'
import { queryClient } from '@/lib/browser/queries'
import type { NetworkState } from '@/lib/contract/rpc.schema'
import { networkOf } from '@/lib/contract/rpc-networks'
import type { RpcSlug } from '@/lib/contract/rpc-slugs'
import { t } from '@/lib/i18n/t'

/** What is asked, as it is being written. */
export type MatrixForm = { method: string; paramsText: string; pick: NetworkPick }

type MatrixRequestProps = {
  form: MatrixForm
  onChange: (change: Partial<MatrixForm>) => void
  onRun: () => void
  stateOf: ReadonlyMap<RpcSlug, NetworkState> | undefined
}

/** What is asked, and whom. */
export function MatrixRequest({ form, onChange, onRun, stateOf }: MatrixRequestProps) {
  return (
    <div className="mt-6 grid gap-x-8 gap-y-6 lg:grid-cols-2">
      <div className="min-w-0 space-y-4">
        <MethodField method={form.method} onChange={onChange} />
        <ParamsField form={form} onChange={onChange} onRun={onRun} />
      </div>
      <NetworkPicks method={form.method} pick={form.pick} onPick={(pick) => onChange({ pick })} stateOf={stateOf} />
    </div>
  )
}

/** The parameters, checked against what is known of the method. Networks have the last word: nothing is held back. */
function ParamsField({ form, onChange, onRun }: Omit<MatrixRequestProps, 'stateOf'>) {
  const { method, paramsText } = form
  const known = useQuery(methodQuery(familyOf(method), method)).data
  const problems = useMemo(() => {
    const params = paramsOf(paramsText)
    return params === undefined ? [] : (known?.check(params) ?? [])
  }, [known, paramsText])
  return (
    <div>
      <p className="mb-1.5 text-13 font-medium">{t('Parameters')}</p>
      <CodeEditor
        label={t('Parameters')}
        value={paramsText}
        onChange={(text) => onChange({ paramsText: text })}
        onRun={onRun}
        problems={problems}
        minLines={2}
        maxLines={12}
      />
      <p lang="en" dir="ltr" className="mt-1.5 text-13 wrap-anywhere text-ink-2 empty:hidden rtl:text-end">
        {problems[0]?.message}
      </p>
    </div>
  )
}

/** What can be asked of many networks: everything that changes nothing. */
const METHODS: readonly MethodEntry[] = ['ethereum-mainnet', 'starknet-mainnet'].flatMap((slug) =>
  listMethods(networkOf(slug)!).filter((entry) => 'tier' in entry && !entry.isBroadcast),
)
const KNOWN: ReadonlySet<string> = new Set(METHODS.map(({ method }) => method))
/** Without the tables of methods a person writes the parameters. */
const ignore = () => undefined

/** One that is known brings parameters to begin with. */
function MethodField({ method, onChange }: Pick<MatrixRequestProps, 'onChange'> & { method: string }) {
  const choose = (name: string) => {
    if (name === method) return
    onChange({ method: name, ...(familyOf(name) !== familyOf(method) && { pick: 'all' as const }) })
    if (KNOWN.has(name)) void startOf(name).then((paramsText) => onChange({ paramsText }), ignore)
  }
  const [network = SHOWN_NETWORKS[0]!] = networksFor(method)
  return (
    <div>
      <p aria-hidden="true" className="mb-1.5 text-13 font-medium">
        {t('Method')}
      </p>
      <div className="flex">
        <MethodPicker network={network} entries={METHODS} method={method} isRefused={false} onPick={choose} />
      </div>
    </div>
  )
}

/** Parameters that a method works with as they stand, as text. */
async function startOf(method: string): Promise<string> {
  const known = await queryClient().ensureQueryData(methodQuery(familyOf(method), method))
  return printed(known?.start ?? [])
}
