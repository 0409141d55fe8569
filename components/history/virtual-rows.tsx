'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import type { ReactNode, RefObject } from 'react'
import { ChatRow, type RowContext } from '@/components/history/chat-row'
import type { Group } from '@/components/history/groups'
import type { Conversation } from '@/lib/browser/storage/records'

const TYPICAL_HEIGHT = 36
const OVERSCAN = 10

type VirtualRowsProps = {
  scroller: RefObject<HTMLElement | null>
  groups: Group[]
  rowsOf: (group: Group) => Conversation[]
  headOf: (group: Group) => ReactNode
  context: RowContext
}

export function VirtualRows({ scroller, groups, rowsOf, headOf, context }: VirtualRowsProps) {
  const lines = groups.flatMap((group) => [
    { key: group.key, group, chat: undefined },
    ...rowsOf(group).map((chat) => ({ key: chat.id, group, chat })),
  ])
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => TYPICAL_HEIGHT,
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: OVERSCAN,
  })
  return (
    <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const line = lines[index]
        if (!line) return null
        return (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className={`absolute inset-x-0 top-0 ${line.chat && line.group.folder ? 'ps-3' : ''}`}
            style={{ transform: `translateY(${start}px)` }}
          >
            {line.chat ? <ChatRow chat={line.chat} context={context} /> : headOf(line.group)}
          </li>
        )
      })}
    </ul>
  )
}
