import { useEffect, useState } from 'react'
import {
  isAnswering,
  setSecondModel,
  stopRuns,
  useIsAnswering,
  useSecondModel,
} from '@/components/chat/asking/answer-store'
import { dequeue, enqueue, useQueue, waitingIn } from '@/components/chat/asking/queue'
import type { Begun } from '@/components/chat/asking/run'
import type { ReplayOptions } from '@/components/chat/chat-actions'
import { createPart } from '@/components/ui/part'
import { showToast } from '@/components/ui/toast'
import { type GateRefusal, isGateOpen, passGate } from '@/lib/browser/account-gate'
import { provideStoredChats } from '@/lib/browser/chat-setup'
import type { Failure } from '@/lib/browser/failure'
import { openChat } from '@/lib/browser/navigation'
import { isFreeModel } from '@/lib/browser/queries'
import type { ForkExtent } from '@/lib/browser/storage/branches'
import type { Outgoing } from '@/lib/browser/storage/records'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

export const answeringPart = createPart(() => import('@/components/chat/chat-runtime.lazy'))

provideStoredChats(answeringPart.load)

const answering = answeringPart.load
const commands = () => import('@/components/chat/chat-commands')

type Act = (model: string) => Promise<Begun>

export function useSendOnline(chatId: string | null): void {
  useEffect(() => {
    if (chatId === null) return
    const onOnline = () => {
      if (!waitingIn(chatId)[0]?.isForOnline) return
      answering()
        .then(({ sendWaiting }) => sendWaiting(chatId))
        .catch(complain)
    }
    window.addEventListener('online', onOnline)
    return () => window.removeEventListener('online', onOnline)
  }, [chatId])
}

/**
 * Returns what a person can do in a chat; `chatId` is null before the first message. Those that ask a model resolve to
 * whether the question was begun.
 */
export function useChat(chatId: string | null, modelId: string | undefined) {
  const isBusy = useIsAnswering(chatId)
  const queued = useQueue(chatId)
  const second = useSecondModel()
  const [refusal, setRefusal] = useState<GateRefusal | 'offline'>()
  const isAnswerRunning = () => chatId !== null && isAnswering(chatId)
  const begin = async (model: string | undefined, act: Act): Promise<boolean> => {
    setRefusal(undefined)
    if (!model || isAnswerRunning()) return false
    // Without a connection nothing is begun that could only fail: what was written stays where it is.
    const refused = !navigator.onLine ? 'offline' : isGateOpen() ? undefined : await passChatGate(model)
    setRefusal(refused)
    if (refused || isAnswerRunning()) return false
    // What was written and picked stays in the composer until it is stored: then, and not before, it may be cleared.
    try {
      const { ended } = await act(model)
      ended.catch(complain)
      return true
    } catch {
      complain()
      return false
    }
  }
  const id = chatId ?? ''
  return {
    isBusy,
    refusal,
    stop: () => stopRuns(id),
    send: (outgoing: Outgoing) =>
      begin(modelId, async (model) => {
        const models = second && second !== model ? [model, second] : [model]
        setSecondModel(undefined)
        return (await answering()).send(chatId, outgoing, models)
      }),
    regenerate: (turn: Turn, other?: string) =>
      begin(other ?? modelId, async (model) => (await answering()).regenerate(id, turn, model)),
    resume: (turn: Turn) => begin(modelId, async (model) => (await answering()).resume(id, turn, model)),
    replay: (turn: Turn, failure: Failure, options: ReplayOptions = {}) =>
      begin(turn.modelId ?? modelId, async (model) =>
        (await answering()).replay(id, turn, model, { ...options, failure }),
      ),
    edit: (turn: Turn, outgoing: Outgoing) =>
      begin(modelId, async (model) => (await answering()).edit(id, turn, outgoing, model)),
    queued,
    enqueue: (outgoing: Outgoing) => {
      if (chatId !== null && modelId) enqueue(chatId, outgoing, modelId, !navigator.onLine)
    },
    dequeue: (waiting: string) => dequeue(id, waiting),
    sendNow: (waiting: string) => {
      if (!navigator.onLine) return setRefusal('offline')
      stopRuns(id)
      void answering()
        .then(({ sendWaiting }) => sendWaiting(id, waiting))
        .catch(complain)
    },
    showVersion: (turn: Turn, version: string) => run(async () => (await commands()).showVersion(id, turn, version)),
    keep: (turn: Turn) => {
      stopRuns(id)
      run(async () => (await commands()).keep(id, turn))
    },
    fork: (turn: Turn, extent: ForkExtent) =>
      run(async () => openChat(await (await commands()).fork(id, turn, extent))),
    remove: (turn: Turn) => run(async () => (await commands()).remove(id, turn)),
  }
}

/** Signs in or tops up where a message to a model needs it; returns why the message was not sent. */
function passChatGate(modelId: string): Promise<GateRefusal | undefined> {
  return passGate({
    why: t('To send this message'),
    whyCredit: t('Your message is sent once you add credit.'),
    isFree: isFreeModel(modelId),
  })
}

export type Chat = ReturnType<typeof useChat>

const run = (act: () => Promise<void>): void => void act().catch(complain)

function complain(): void {
  showToast({ text: t('The chat couldn’t be saved in this browser. Free up space and try again.') })
}
