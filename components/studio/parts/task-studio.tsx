'use client'

import type { ComponentType, ReactNode } from 'react'
import { Choices } from '@/components/studio/parts/fields'
import { StudioFrame } from '@/components/studio/parts/frame'
import { EmptyWall, Wall } from '@/components/studio/parts/wall'
import { useDraft } from '@/lib/browser/drafts'
import type { Generation } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

/** One of the tasks of a studio, with its form and the bar below it. `name` is an English message. */
type StudioTask = { id: string; name: string; Form: ComponentType; Bar: ComponentType }

type TaskStudioProps = {
  kind: 'audio' | 'video'
  /** The first one is open until another is chosen. */
  tasks: readonly [StudioTask, ...StudioTask[]]
  layout: 'masonry' | 'list'
  emptyTitle: string
  emptyText: string
  render: (generation: Generation) => ReactNode
}

export function TaskStudio({ kind, tasks, layout, emptyTitle, emptyText, render }: TaskStudioProps) {
  const [stored, setTask] = useDraft(`studio-${kind}-task`)
  const { id, Form, Bar } = tasks.find((task) => task.id === stored) ?? tasks[0]
  return (
    <StudioFrame
      kind={kind}
      form={
        <>
          <Choices
            label={t('Output')}
            value={id}
            options={tasks.map((task) => ({ value: task.id, label: t(task.name) }))}
            onChange={setTask}
          />
          <Form />
        </>
      }
      bar={<Bar />}
      wall={
        <Wall
          kind={kind}
          layout={layout}
          empty={
            <EmptyWall title={emptyTitle}>
              <p>{emptyText}</p>
            </EmptyWall>
          }
          render={render}
        />
      }
    />
  )
}
