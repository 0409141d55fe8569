'use client'

import { CodeXml } from 'lucide-react'
import { Popover, Tabs } from 'radix-ui'
import { useState } from 'react'
import type { RpcCallDraft } from '@/components/rpc/client'
import { TOOL } from '@/components/rpc/notices'
import { printSnippet, type Snippet, type SnippetKind, snippetsFor } from '@/components/rpc/snippets/snippets'
import { CopyButton } from '@/components/ui/copy-button'
import { OVERLAY } from '@/components/ui/menu'
import { Sentence } from '@/components/ui/sentence'
import { readPreference, writePreference } from '@/lib/browser/preferences'
import { KEY_VARIABLE } from '@/lib/contract/code-literals'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type SnippetsMenuProps = { network: RpcNetwork; calls: readonly RpcCallDraft[]; isBatch: boolean }

export function SnippetsMenu(props: SnippetsMenuProps) {
  return (
    <Popover.Root>
      <Popover.Trigger className={TOOL}>
        <CodeXml aria-hidden="true" />
        {t('Snippet')}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={t('Snippet')}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={`${OVERLAY} flex max-h-[min(34rem,var(--radix-popover-content-available-height))] w-[min(44rem,calc(100vw-1rem))] flex-col`}
        >
          <Snippets {...props} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Snippets({ network, calls, isBatch }: SnippetsMenuProps) {
  const snippets = snippetsFor(network.family)
  const [kind, setKind] = useState(() => chosenSnippet(snippets))
  const choose = (next: string) => {
    setKind(next as SnippetKind)
    writePreference('snippet', next as SnippetKind)
  }
  return (
    <Tabs.Root value={kind} onValueChange={choose} className="flex min-h-0 flex-col">
      <div className="thin-scroll shrink-0 overflow-x-auto border-b border-line px-2 pt-2">
        <Tabs.List aria-label={t('Language')} className="flex gap-1">
          {snippets.map((snippet) => (
            <Tabs.Trigger
              key={snippet.kind}
              value={snippet.kind}
              className="min-h-9 border-b-2 border-transparent px-2.5 text-13 whitespace-nowrap text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:min-h-11"
            >
              {snippet.name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
      </div>
      {snippets.map((snippet) => (
        <Tabs.Content key={snippet.kind} value={snippet.kind} className="flex min-h-0 flex-col outline-none">
          {snippet.kind === kind && (
            <Program
              snippet={snippet}
              text={printSnippet(kind, { origin: location.origin, network, calls, isBatch })}
            />
          )}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

const Program = ({ snippet, text }: { snippet: Snippet; text: string }) => (
  <>
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
      tabIndex={0}
      dir="ltr"
      className="thin-scroll min-h-0 overflow-auto bg-sunken px-4 py-3 font-mono text-13 leading-5 [font-variant-ligatures:none]"
    >
      <code>{text}</code>
    </pre>
    <div className="flex shrink-0 items-center justify-between gap-3 border-t border-line py-1 ps-4 pe-1">
      <p className="text-13 text-ink-3">
        <Sentence
          text="The snippet reads your key from <variable/>."
          parts={{
            variable: () => (
              <code dir="ltr" className="font-mono text-12 text-ink-2">
                {KEY_VARIABLE}
              </code>
            ),
          }}
        />
      </p>
      <CopyButton text={text} label={t('Copy {name} snippet', { name: snippet.name })} />
    </div>
  </>
)

function chosenSnippet(snippets: readonly Snippet[]): SnippetKind {
  const stored = readPreference('snippet')
  return (snippets.find(({ kind }) => kind === stored) ?? snippets[0])?.kind ?? 'curl'
}
