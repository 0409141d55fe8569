'use client'

import dynamic from 'next/dynamic'
import { type ComponentProps, cloneElement, type ReactElement, useState } from 'react'
import type { TurnActions } from '@/components/chat/chat-actions'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'

const loadMenu = () => import('@/components/chat/turns/other-model-menu').then((module) => module.OtherModelMenu)
const OtherModelMenu = dynamic(loadMenu, { ssr: false })

const MAX_OTHERS = 12

type OtherModelProps = {
  models: ModelCard[]
  turn: Turn
  actions: TurnActions
  children: ReactElement<ComponentProps<'button'>>
}

export function OtherModel({ models, turn, actions, children }: OtherModelProps) {
  const [isWanted, setIsWanted] = useState(false)
  const others = models.filter((model) => model.id !== turn.modelId && !model.isOffline).slice(0, MAX_OTHERS)
  if (others.length === 0) return null
  if (isWanted) {
    return (
      <OtherModelMenu models={others} onPick={(id) => void actions.regenerate(turn, id)}>
        {children}
      </OtherModelMenu>
    )
  }
  return cloneElement(children, {
    'aria-haspopup': 'menu',
    onPointerEnter: () => void loadMenu(),
    onFocus: () => void loadMenu(),
    onClick: () => void loadMenu().then(() => setIsWanted(true)),
  })
}
