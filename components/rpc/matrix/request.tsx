'use client'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useState } from 'react'
import type { MatrixForm } from '@/components/rpc/matrix/matrix'
import { NetworkPicks } from '@/components/rpc/matrix/network-picks'
import { printed } from '@/components/rpc/matrix/printed'
import { methodQuery } from '@/components/rpc/use-call'
import { CodeEditor } from '@/components/ui/code-editor'
import { queryClient } from '@/lib/client/queries'
import { paramsOf } from '@/lib/client/rpc-link'
import { familyOf } from '@/lib/client/rpc-matrix'
import type { RpcSlug } from '@/lib/core/rpc-slugs'
import { t } from '@/lib/i18n/t'
import { BROADCASTS, METHOD_GROUPS } from '@/lib/rpc/methods'
import type { NetworkState } from '@/lib/rpc/schema'

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
        <MethodField method={form.method} onChange={onChange} onRun={onRun} />
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
        minLines={4}
        maxLines={12}
      />
      <p lang="en" dir="ltr" className="mt-1.5 text-13 wrap-anywhere text-ink-2 empty:hidden">
        {problems[0]?.message}
      </p>
    </div>
  )
}

/** What can be asked of many networks: everything that changes nothing. */
const METHODS = METHOD_GROUPS.flatMap(({ methods }) => methods).filter((method) => !BROADCASTS.has(method))
const KNOWN: ReadonlySet<string> = new Set(METHODS)
/** Without the tables of methods a person writes the parameters. */
const ignore = () => undefined

/** The name is free text; one that is known brings parameters to begin with. */
function MethodField({ method, onChange, onRun }: Pick<MatrixRequestProps, 'onChange' | 'onRun'> & { method: string }) {
  const id = useId()
  const [typed, setTyped] = useState(method)
  useEffect(() => setTyped(method), [method])
  const choose = (name: string) => {
    setTyped(name)
    if (name === method) return
    onChange({ method: name, ...(familyOf(name) !== familyOf(method) && { pick: 'all' as const }) })
    if (KNOWN.has(name)) void startOf(name).then((paramsText) => onChange({ paramsText }), ignore)
  }
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-13 font-medium">
        {t('Method')}
      </label>
      <input
        id={id}
        dir="ltr"
        list={`${id}-methods`}
        value={typed}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        // A name from the list is taken at once, one that is typed when it is whole.
        onChange={(event) =>
          KNOWN.has(event.target.value) ? choose(event.target.value) : setTyped(event.target.value)
        }
        onBlur={() => choose(typed.trim())}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          choose(typed.trim())
          if (event.metaKey || event.ctrlKey) onRun()
        }}
        className="h-10 w-full rounded-control border border-control bg-surface px-3 font-mono text-14 outline-none focus:border-accent pointer-coarse:h-11"
      />
      <datalist id={`${id}-methods`}>
        {METHODS.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  )
}

/** Parameters that a method works with as they stand, as text. */
async function startOf(method: string): Promise<string> {
  const known = await queryClient().ensureQueryData(methodQuery(familyOf(method), method))
  return printed(known?.start ?? [])
}
