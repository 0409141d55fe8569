'use client'

import { useQuery } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { CodeLines, UNFOLDED } from '@/components/markdown/code-lines'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sheet } from '@/components/ui/modal'
import { Sentence } from '@/components/ui/sentence'
import { characterPrompt } from '@/lib/browser/characters'
import { type ChatBody, chatRequest } from '@/lib/browser/chat-request'
import { type ChatSnippet, chatSnippet } from '@/lib/browser/chat-snippets'
import { chosenModel } from '@/lib/browser/models'
import { listedModel, listedModels } from '@/lib/browser/queries'
import { loadThread } from '@/lib/browser/storage/chats'
import { type Turn, turnsTo } from '@/lib/browser/storage/thread'
import { wantedModel } from '@/lib/browser/wanted-model'
import { KEY_VARIABLE } from '@/lib/contract/code-literals'
import { t } from '@/lib/i18n/t'

type RequestSheetProps = { chatId: string; turn: Turn; onClose: () => void }

const KINDS: { kind: ChatSnippet; name: string; language: string }[] = [
  { kind: 'curl', name: 'curl', language: 'bash' },
  { kind: 'typescript', name: 'TypeScript', language: 'typescript' },
  { kind: 'python', name: 'Python', language: 'python' },
]

export function RequestSheet({ chatId, turn, onClose }: RequestSheetProps) {
  const request = useQuery({
    queryKey: ['request', chatId, turn.id],
    queryFn: () => requestOf(chatId, turn),
    // A chat changes with every message; it is read from this device.
    staleTime: 0,
    gcTime: 0,
    networkMode: 'always',
  })
  return (
    <Sheet isOpen isWide onClose={onClose} title={t('View API request')}>
      <p className="mt-1 text-14 text-ink-2">
        <Sentence
          text={t(
            'Send the same request from your code. Your API key is read from <variable/>. Files are truncated here.',
          )}
          parts={{ variable: () => <code className="font-mono text-13 text-ink">{KEY_VARIABLE}</code> }}
        />
      </p>
      {request.isPending && <div aria-hidden="true" className="skeleton mt-4 h-48 w-full" />}
      {request.isError && (
        <div role="alert" className="mt-4 flex flex-wrap items-center gap-3">
          <p>{t('The chat couldn’t be loaded.')}</p>
          <Button onClick={() => void request.refetch()}>{t('Try again')}</Button>
        </div>
      )}
      {request.isSuccess && <Programs body={request.data} />}
    </Sheet>
  )
}

function Programs({ body }: { body: ChatBody }) {
  return (
    <Tabs.Root defaultValue="curl" className="mt-4">
      <Tabs.List aria-label={t('Language')} className="flex gap-1 border-b border-line">
        {KINDS.map(({ kind, name }) => (
          <Tabs.Trigger
            key={kind}
            value={kind}
            className="min-h-9 border-b-2 border-transparent px-2.5 text-13 text-ink-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:min-h-11"
          >
            {name}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {KINDS.map(({ kind, ...program }) => (
        <Tabs.Content key={kind} value={kind} className="outline-none">
          <Program {...program} text={chatSnippet(kind, body, location.origin)} />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

function Program({ name, language, text }: { name: string; language: string; text: string }) {
  return (
    <div className="mt-2 rounded-card border border-line bg-sunken">
      <div className="flex items-center border-b border-line ps-3 pe-1 text-12 text-ink-3">
        <span className="flex-1">{name}</span>
        <CopyButton text={text} label={t('Copy {name} code', { name })} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        dir="ltr"
        className="thin-scroll max-h-[50dvh] overflow-auto p-3 font-mono text-12 leading-5 [font-variant-ligatures:none]"
      >
        <CodeLines code={text} language={language} isOpen={false} fold={UNFOLDED} />
      </pre>
    </div>
  )
}

/**
 * Rebuilds the request of an answer, or the one that a question would make now. Files are not read for it. @throws
 * Error when the chat is gone.
 */
async function requestOf(chatId: string, turn: Turn): Promise<ChatBody> {
  const stored = await loadThread(chatId)
  if (!stored) throw new Error('The chat is gone.')
  const isAnswer = turn.role === 'assistant'
  const path = turnsTo(stored, turn.id)
  const answer = isAnswer ? turn : undefined
  const { conversation } = stored
  const settings = (answer ? answer.settings : conversation.settings) ?? {}
  const character = answer ? answer.character : conversation.character
  const prompt = character && (await characterPrompt(character))
  const modelId = answer?.modelId ?? chosenModel(listedModels(), wantedModel())?.id ?? 'default'
  const model = listedModel(modelId) ?? { id: modelId }
  const setup = { settings, ...(prompt && { character: prompt }) }
  return await chatRequest(isAnswer ? path.slice(0, -1) : path, setup, model, undefined, async ({ mediaType }) => {
    return `data:${mediaType};base64,…`
  })
}
