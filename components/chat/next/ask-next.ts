import { isFreeModel } from '@/components/chat/asking/gate'
import { keepNext, nextOf } from '@/components/chat/next/next-store'
import { askNextQuestions } from '@/components/chat/next-questions'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { passGate } from '@/lib/browser/account-gate'
import { failureOf } from '@/lib/browser/failure'
import { refreshMoney } from '@/lib/browser/refresh-money'
import { assertDay } from '@/lib/browser/spending'
import { loadThread } from '@/lib/browser/storage/chats'
import { shownTurns, type Turn } from '@/lib/browser/storage/thread'
import { plural, t } from '@/lib/i18n/t'

/** After an answer has ended, for those who switched it on. What cannot be asked leaves no word: nobody waits for it. */
export async function suggestSoon(conversationId: string): Promise<void> {
  const thread = await loadThread(conversationId)
  const last = thread && shownTurns(thread).at(-1)
  if (last?.role !== 'assistant' || last.compared || !last.text || nextOf(last.id) === 'asking') return
  // An answer that went on has other ends than before.
  keepNext(last.id)
  const questions = await askNextQuestions(conversationId, last.id).catch(() => undefined)
  if (questions && questions.length > 0) keepNext(last.id, questions)
}

/** Once, because a person asked for it; what comes in between is said. */
export async function suggestNow(conversationId: string, { id, modelId = '' }: Turn): Promise<void> {
  if (nextOf(id)) return
  if (!navigator.onLine) return showToast({ text: t('You’re offline.') })
  keepNext(id, 'asking')
  try {
    const questions = await askWithLeave(conversationId, id, modelId)
    keepNext(id, questions && questions.length > 0 ? questions : undefined)
    if (questions?.length === 0) showToast({ text: t('No follow-ups suggested.') })
    if (questions && questions.length > 0)
      announce(plural(questions.length, { one: '{count} follow-up suggested', other: '{count} follow-ups suggested' }))
  } catch (error) {
    keepNext(id)
    showToast({ text: failureOf(error).message })
  }
}

/** @returns nothing where the person declined. @throws CapReached, and whatever the service throws. */
async function askWithLeave(conversationId: string, id: string, modelId: string): Promise<string[] | undefined> {
  const refused = await passGate({
    why: t('To suggest follow-ups'),
    whyCredit: t('Continues as soon as you add credit.'),
    isFree: isFreeModel(modelId),
  })
  if (refused) return undefined
  await assertDay()
  const questions = await askNextQuestions(conversationId, id)
  if (questions) refreshMoney()
  else showToast({ text: t('Suggestions would exceed your cap per message. Raise the cap to get them.') })
  return questions
}
