import type { RpcAnswer } from '@/components/rpc/client'
import { fileAbout, questionAbout } from '@/components/rpc/snippets/question'
import { showToast } from '@/components/ui/toast'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { chosenModel } from '@/lib/browser/models'
import { readPreference } from '@/lib/browser/preferences'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { newChat } from '@/lib/browser/shortcut-handlers'
import { NEW_CHAT } from '@/lib/browser/storage/draft-message'
import { t } from '@/lib/i18n/t'

/** What an answer may take of a question, in characters: JSON of a chain has about two to a token. */
const MIN_CHARS = 2_000
const MAX_CHARS = 40_000
/** While nobody knows the model. */
const DEFAULT_CHARS = 8_000

/**
 * Opens a new chat with a question about a response in its composer, below what may be written there already, and the
 * response as a file. Nothing is sent before the person sends it.
 */
export async function askAbout(answer: RpcAnswer): Promise<void> {
  const [{ addDraftFiles }, room] = await Promise.all([import('@/lib/browser/files/draft-files'), roomInContext()])
  const left = await addDraftFiles(NEW_CHAT, [fileAbout(answer, room)])
  if (left > 0) return showToast({ text: t('The draft of the new chat cannot hold more files.') })
  const question = questionAbout(answer)
  const written = readDraft(NEW_CHAT).trim()
  saveDraft(NEW_CHAT, written === '' ? question : `${written}\n\n${question}`)
  newChat()
}

/** Half of what the model can take, which leaves room for its answer. */
async function roomInContext(): Promise<number> {
  const models = await queryClient()
    .ensureQueryData(modelsQuery())
    .catch(() => [])
  const tokens = chosenModel(models, readPreference('model'))?.contextTokens
  return tokens ? Math.min(MAX_CHARS, Math.max(MIN_CHARS, tokens)) : DEFAULT_CHARS
}
