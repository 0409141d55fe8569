import { bodyOf, type RpcAnswer } from '@/components/rpc/client'
import { isMethodName, parseJson } from '@/components/rpc/link'
import { networkName } from '@/components/rpc/networks'
import { showToast } from '@/components/ui/toast'
import { newChat } from '@/lib/browser/commands'
import { readDraft, saveDraft } from '@/lib/browser/drafts'
import { chosenModel } from '@/lib/browser/models'
import { readPreference } from '@/lib/browser/preferences'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { NEW_CHAT } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

// JSON of a chain has about two characters to a token.
const MIN_CHARS = 2_000
const MAX_CHARS = 40_000
const DEFAULT_CHARS = 8_000

/** Opens a new chat with a question about a response in its composer and the response as a file. Nothing is sent. */
export async function openChatAbout(answer: RpcAnswer): Promise<void> {
  const [{ addDraftFiles }, remainingChars] = await Promise.all([
    import('@/lib/browser/files/draft-files'),
    remainingContextChars(),
  ])
  const left = await addDraftFiles(NEW_CHAT, [fileAbout(answer, remainingChars)])
  if (left > 0) return showToast({ text: t('The draft of the new chat cannot hold more files.') })
  const question = questionAbout(answer)
  const written = readDraft(NEW_CHAT).trim()
  saveDraft(NEW_CHAT, written === '' ? question : `${written}\n\n${question}`)
  newChat()
}

async function remainingContextChars(): Promise<number> {
  const models = await queryClient()
    .ensureQueryData(modelsQuery())
    .catch(() => [])
  const tokens = chosenModel(models, readPreference('model'))?.contextTokens
  return tokens ? Math.min(MAX_CHARS, Math.max(MIN_CHARS, tokens)) : DEFAULT_CHARS
}

const REQUEST_SHARE = 0.25

export function questionAbout(answer: RpcAnswer): string {
  const network = networkName(answer.network)
  const call = methodIn(answer)
  return call === undefined
    ? t('Explain this batch response from {network}.', { network })
    : t('Explain this {call} response from {network}.', { call, network })
}

export function fileAbout(answer: RpcAnswer, remainingChars: number): File {
  const { calls, isBatch, text, status } = answer
  const request = fitting(JSON.stringify(bodyOf(calls, isBatch)), Math.floor(remainingChars * REQUEST_SHARE))
  const response = fitting(text, remainingChars - request.length)
  const network = JSON.stringify(networkName(answer.network))
  // Put together as text: numbers of a chain are larger than those that JSON.parse keeps exact.
  const json = `{\n"network": ${network},\n"request": ${request},\n"httpStatus": ${status},\n"response": ${response}\n}\n`
  return new File([json], `${methodIn(answer) ?? 'batch'}-${answer.network}.json`, { type: 'application/json' })
}

const methodIn = ({ calls: [call], isBatch }: RpcAnswer): string | undefined =>
  isBatch || !call || !isMethodName(call.method) ? undefined : call.method

function fitting(text: string, chars: number): string {
  if (text.length > chars) {
    // Half of a character of two would be no character.
    const excerpt = text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')
    const number = (value: number) => value.toLocaleString('en-US')
    return JSON.stringify(`${excerpt}… (the first ${number(excerpt.length)} of ${number(text.length)} characters)`)
  }
  return parseJson(text) === undefined ? JSON.stringify(text) : text
}
