'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Segment } from '@/components/ui/range-picker'
import { type ChatSnippet, chatSnippet } from '@/lib/browser/chat-snippets'
import { modelsQuery } from '@/lib/browser/queries'
import { KEY_VARIABLE } from '@/lib/contract/code-literals'
import { t } from '@/lib/i18n/t'

/** The secret of a key that was just made, once, and a first call with it. */
export function NewSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="mt-3 space-y-5">
      <p className="text-14 text-ink-2">
        {t('Copy it now. You won’t see it again. Store it where your app keeps its secrets.')}
      </p>
      <div className="flex items-center gap-1 rounded-card border border-control bg-sunken py-2 ps-3 pe-1">
        <code dir="ltr" data-testid="new-key" className="min-w-0 flex-1 font-mono text-13 break-all select-all">
          {secret}
        </code>
        <CopyButton text={secret} label={t('Copy key')} />
      </div>
      <FirstCall secret={secret} />
      <Button kind="primary" className="min-h-11 px-5" onClick={onDone}>
        {t('I’ve saved the key')}
      </Button>
    </div>
  )
}

const SNIPPETS: readonly { id: ChatSnippet; name: string }[] = [
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
  { id: 'python', name: 'Python' },
]

/** Shows a whole program that asks a question. It reads the key from the environment, which the shell sets first. */
function FirstCall({ secret }: { secret: string }) {
  const [chosen, setChosen] = useState<ChatSnippet>('curl')
  const models = useQuery(modelsQuery())
  const model = models.data?.[0]?.id ?? 'default'
  const body = { model, messages: [{ role: 'user' as const, content: 'Why is the sea salty?' }] }
  const program = chatSnippet(chosen, body as Parameters<typeof chatSnippet>[1], window.location.origin)
  const code = chosen === 'curl' ? `export ${KEY_VARIABLE}=${secret}\n${program}` : program
  return (
    <section aria-label={t('Example request')}>
      <div className="mb-2 flex items-center justify-between gap-2">
        <fieldset className="inline-flex rounded-control border border-line bg-surface p-0.5">
          <legend className="sr-only">{t('Example request')}</legend>
          {SNIPPETS.map(({ id, name }) => (
            <Segment key={id} isChosen={chosen === id} onChoose={() => setChosen(id)}>
              {name}
            </Segment>
          ))}
        </fieldset>
        <CopyButton text={code} label={t('Copy example request')} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls when its lines are long
        tabIndex={0}
        dir="ltr"
        className="thin-scroll max-h-56 overflow-auto rounded-card bg-sunken p-3 font-mono text-12 leading-4.5"
      >
        {code}
      </pre>
    </section>
  )
}
