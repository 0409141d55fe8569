import { useEffect, useState } from 'react'
import {
  isAnswering,
  setSecondModel,
  stopRuns,
  useIsAnswering,
  useSecondModel,
} from '@/components/chat/asking/answer-store'
import { passChatGate } from '@/components/chat/asking/asked-model'
import { dequeue, enqueue, useQueue, waitingIn } from '@/components/chat/asking/queue'
import type { ReplayOptions } from '@/components/chat/chat-actions'
import { showToast } from '@/components/ui/toast'
import { type GateRefusal, isGateOpen } from '@/lib/browser/account-gate'
import type { Failure } from '@/lib/browser/failure'
import { openChat } from '@/lib/browser/navigation'
import type { ForkExtent } from '@/lib/browser/storage/branches'
import type { Outgoing } from '@/lib/browser/storage/records'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

const answering = () => import('@/components/chat/chat-runtime.lazy')
const branches = () => import('@/components/chat/asking/branches')

type Act = (model: string, onBegun: () => void) => Promise<void>

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
  const [accountRefusal, setAccountRefusal] = useState<GateRefusal | 'offline'>()
  const isTaken = () => chatId !== null && isAnswering(chatId)
  const begin = async (model: string | undefined, act: Act): Promise<boolean> => {
    setAccountRefusal(undefined)
    if (!model || isTaken()) return false
    // Without a connection nothing is begun that could only fail: what was written stays where it is.
    const refusal = !navigator.onLine ? 'offline' : isGateOpen() ? undefined : await passChatGate(model)
    setAccountRefusal(refusal)
    if (refusal || isTaken()) return false
    // What was written and picked stays in the composer until it is stored: then, and not before, it may be cleared.
    return await new Promise((resolve) => {
      act(model, () => resolve(true)).then(
        () => resolve(true),
        () => {
          complain()
          resolve(false)
        },
      )
    })
  }
  const id = chatId ?? ''
  return {
    isBusy,
    kept: accountRefusal,
    stop: () => stopRuns(id),
    send: (outgoing: Outgoing) =>
      begin(modelId, async (model, onBegun) => {
        const models = second && second !== model ? [model, second] : [model]
        setSecondModel(undefined)
        await (await answering()).send(chatId, outgoing, models, onBegun)
      }),
    regenerate: (turn: Turn, other?: string) =>
      begin(other ?? modelId, async (model, onBegun) => (await answering()).regenerate(id, turn, model, onBegun)),
    resume: (turn: Turn) =>
      begin(modelId, async (model, onBegun) => (await answering()).resume(id, turn, model, onBegun)),
    replay: (turn: Turn, failure: Failure, options: ReplayOptions = {}) =>
      begin(turn.modelId ?? modelId, async (model, onBegun) =>
        (await answering()).replay(id, turn, model, { ...options, failure, onBegun }),
      ),
    edit: (turn: Turn, outgoing: Outgoing) =>
      begin(modelId, async (model, onBegun) => (await answering()).edit(id, turn, outgoing, model, onBegun)),
    queued,
    enqueue: (outgoing: Outgoing) => {
      if (chatId !== null && modelId) enqueue(chatId, outgoing, modelId, !navigator.onLine)
    },
    dequeue: (waiting: string) => dequeue(id, waiting),
    sendNow: (waiting: string) => {
      if (!navigator.onLine) return setAccountRefusal('offline')
      stopRuns(id)
      void answering()
        .then(({ sendWaiting }) => sendWaiting(id, waiting))
        .catch(complain)
    },
    showVersion: (turn: Turn, version: string) => run(async () => (await branches()).showVersion(id, turn, version)),
    keep: (turn: Turn) => {
      stopRuns(id)
      run(async () => (await branches()).keep(id, turn))
    },
    fork: (turn: Turn, extent: ForkExtent) =>
      run(async () => openChat(await (await branches()).fork(id, turn, extent))),
    remove: (turn: Turn) => run(async () => (await branches()).remove(id, turn)),
  }
}

export type Chat = ReturnType<typeof useChat>

const run = (act: () => Promise<void>): void => void act().catch(complain)

function complain(): void {
  showToast({ text: t('The chat couldn’t be saved in this browser. Free up space and try again.') })
}
