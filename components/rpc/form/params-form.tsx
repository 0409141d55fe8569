'use client'

import { useQuery } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { useId, useMemo, useState } from 'react'
import { getAddress, isAddress } from 'viem/utils'
import { FormFactsProvider, problemIndex } from '@/components/rpc/form/form-context'
import { type JsonDraft, JsonTab } from '@/components/rpc/form/json-tab'
import { printJson } from '@/components/rpc/form/json-text'
import { ParamFields } from '@/components/rpc/form/param-fields'
import type { MethodDoc, ParamProblem } from '@/components/rpc/methods/types'
import { sessionQuery } from '@/lib/browser/queries'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type Tab = 'form' | 'json'

type ParamsFormProps = {
  /** Left out for a method that no list has: it is written as JSON. */
  doc: MethodDoc | undefined
  network: RpcNetwork
  /** A list, or an object by name: the one value that both tabs show. */
  params: unknown
  onChange: (params: unknown) => void
  problems: readonly ParamProblem[]
}

/** Which tab was last chosen: who writes JSON does so for the next method, too. */
let lastTab: Tab = 'form'

const TAB =
  '-mb-px inline-flex min-h-9 items-center border-b-2 border-transparent px-2.5 text-13 font-medium text-ink-3 transition-colors ' +
  'hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:min-h-11 pointer-coarse:px-4'

/** What a method is called with: fields and JSON, two views of one value. */
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

/** The wallet of this browser's session, with its checksum, where it is one of the EVM's. */
function useWalletAddress(): string | undefined {
  const { data: session } = useQuery(sessionQuery())
  const address = session?.family === 'evm' ? session.address : undefined
  return typeof address === 'string' && isAddress(address, { strict: false }) ? getAddress(address) : undefined
}
