'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useEffect } from 'react'
import { Composer } from '@/components/chat/composer'
import { EmptyState, Starters } from '@/components/chat/empty-state'
import { ModelPicker } from '@/components/chat/model-picker'
import { useChat } from '@/components/chat/use-chat'
import { useChatId } from '@/components/shell/navigation'
import { STOP_EVENT } from '@/components/shell/shortcuts'
import { TopBar } from '@/components/shell/top-bar'
import { chosenModel } from '@/lib/client/models'
import { usePreference } from '@/lib/client/preferences'
import { modelsQuery } from '@/lib/client/queries'

const loadThread = () => import('@/components/chat/thread')
const Thread = dynamic(() => loadThread().then((module) => module.Thread), {
  ssr: false,
  loading: () => <div className="flex-1" />,
})
const ChatTitle = dynamic(() => import('@/components/chat/chat-title').then((module) => module.ChatTitle), {
  ssr: false,
})

/** The chat screen: picks a model, composes, shows. A new chat and an open one are the same screen. */
export function Chat() {
  const chatId = useChatId()
  const models = useQuery(modelsQuery())
  const [wanted, setWanted] = usePreference('model')
  const model = chosenModel(models.data ?? [], wanted)
  const chat = useChat(chatId, model?.id)
  useStopEvent(chat.isBusy ? chat.stop : undefined)
  useWarmUp()
  const isNew = chatId === null
  return (
    <>
      <TopBar>
        {chatId && <ChatTitle chatId={chatId} />}
        <ModelPicker models={models} model={model} onPick={setWanted} />
      </TopBar>
      <div className={`flex min-h-0 flex-1 flex-col ${isNew ? 'thin-scroll overflow-y-auto' : 'has-ledger relative'}`}>
        {isNew ? <EmptyState /> : <Thread key={chatId} chatId={chatId} chat={chat} models={models.data ?? []} />}
        <Composer chatId={chatId} chat={chat} model={model} />
        {isNew && <Starters />}
      </div>
    </>
  )
}

/** Escape stops the answer on screen. */
function useStopEvent(stop: (() => void) | undefined) {
  useEffect(() => {
    if (!stop) return
    const onStop = (event: Event) => {
      event.preventDefault()
      stop()
    }
    window.addEventListener(STOP_EVENT, onStop)
    return () => window.removeEventListener(STOP_EVENT, onStop)
  }, [stop])
}

/** Fetches what a first question will need once the page has nothing else to do. */
function useWarmUp() {
  useEffect(() => {
    const timer = setTimeout(() => void loadThread(), 500)
    return () => clearTimeout(timer)
  }, [])
}
