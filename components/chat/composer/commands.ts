import { showToast } from '@/components/ui/toast'
import type { useSetup } from '@/lib/browser/chat-setup'
import { newChat } from '@/lib/browser/commands'
import type { ModelCard } from '@/lib/browser/models'
import type { Sources } from '@/lib/browser/storage/records'
import { msg, t } from '@/lib/i18n/t'

export type CommandContext = {
  setup: ReturnType<typeof useSetup>
  model: ModelCard | undefined
  isBusy: boolean
  stop: () => void
  isTemporary: boolean
  setTemporary: (isOn: boolean) => void
  isNew: boolean
  open: (panel: Panel) => void
  pickFiles: () => void
  write: (text: string) => void
  clear: () => void
}

type Command = {
  name: string
  hint: string
  keywords?: string
  isOffered?: (context: CommandContext) => boolean
  run: (context: CommandContext) => void
}

export const COMMANDS: Command[] = [
  { name: 'new', hint: msg('Start a new chat'), keywords: 'chat', run: () => newChat() },
  {
    name: 'temporary',
    hint: msg('Start a temporary chat, not saved on this device'),
    keywords: 'private incognito chat',
    run: ({ setTemporary, isNew }) => {
      if (!isNew) newChat()
      setTemporary(true)
    },
  },
  { name: 'model', hint: msg('Switch model'), keywords: 'switch', run: ({ write }) => write('@') },
  { name: 'character', hint: msg('Chat with a character'), keywords: 'persona', run: ({ open }) => open('character') },
  {
    name: 'file',
    hint: msg('Add images and files'),
    keywords: 'attach upload image',
    run: ({ pickFiles }) => pickFiles(),
  },
  {
    name: 'dictate',
    hint: msg('Dictate your message'),
    keywords: 'voice speech microphone',
    run: ({ open }) => openDictation(open),
  },
  {
    name: 'record',
    hint: msg('Record audio'),
    keywords: 'audio voice microphone',
    run: ({ open }) => openRecorder(open),
  },
  { name: 'web-on', hint: msg('Search the web for every message'), keywords: 'search sources', ...searching('on') },
  { name: 'web-auto', hint: msg('Search the web when useful'), keywords: 'search sources', ...searching('auto') },
  { name: 'web-off', hint: msg('Turn off web search'), keywords: 'search sources', ...searching(undefined) },
  {
    name: 'think',
    hint: msg('Set thinking effort'),
    keywords: 'reasoning effort',
    isOffered: ({ model }) => model?.badges.includes('reasoning') === true,
    run: ({ open }) => open('think'),
  },
  { name: 'stop', hint: msg('Stop the answer'), isOffered: ({ isBusy }) => isBusy, run: ({ stop }) => stop() },
  { name: 'clear', hint: msg('Clear the draft and remove its files'), keywords: 'reset', run: ({ clear }) => clear() },
]

function searching(web: Sources['web'] | undefined): Pick<Command, 'isOffered' | 'run'> {
  return {
    isOffered: ({ model, setup }) => model?.supportsWebSearch === true && setup.settings.sources?.web !== web,
    run: ({ setup: { settings, change } }) => {
      const { web: _, ...others } = settings.sources ?? {}
      const { sources: __, ...rest } = settings
      const sources = { ...others, ...(web && { web }) }
      change({ settings: Object.keys(sources).length > 0 ? { ...rest, sources } : rest })
    },
  }
}

type Open = (panel: Panel) => void

/*
 * Both stand where the composer's buttons are, so they are opened once their code is there: without a connection it may
 * never be, and nothing may hide the buttons then.
 */

export function openDictation(open: Open): void {
  import('@/components/chat/composer/dictation').then(
    () => open('dictate'),
    () => showToast({ text: t('You’re offline. Reconnect to dictate.') }),
  )
}

export function openRecorder(open: Open): void {
  import('@/components/common/recorder').then(
    () => open('record'),
    () => showToast({ text: t('The recorder couldn’t be loaded. Check your connection and try again.') }),
  )
}

export type Panel = 'add' | 'sources' | 'think' | 'record' | 'dictate' | 'character' | 'compare'
