import { type ComponentProps, useEffect, useEffectEvent, useState } from 'react'

type FileInputProps = Omit<ComponentProps<'input'>, 'type' | 'onChange'> & {
  onFiles: (files: [File, ...File[]]) => void
}

export function FileInput({ onFiles, ...input }: FileInputProps) {
  return (
    <input
      {...input}
      type="file"
      onChange={({ target }) => {
        const [first, ...others] = target.files ?? []
        target.value = ''
        if (first) onFiles([first, ...others])
      }}
    />
  )
}

export function useDrop(take: (files: File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  const drop = useEffectEvent(take)
  useEffect(() => {
    // Entering a part of the page comes before leaving the one around it.
    let depth = 0
    const count = (change: number) => {
      depth = change === 0 ? 0 : Math.max(0, depth + change)
      setIsOver(depth > 0)
    }
    const onEnter = (event: DragEvent) => {
      if (holdsFiles(event)) count(1)
    }
    const onLeave = (event: DragEvent) => {
      if (holdsFiles(event)) count(-1)
    }
    const onOver = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
    }
    const onDrop = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      count(0)
      // A part of the page that takes files itself has done so.
      if (event.defaultPrevented) return
      event.preventDefault()
      drop([...(event.dataTransfer?.files ?? [])])
    }
    const ending = new AbortController()
    const options = { signal: ending.signal }
    window.addEventListener('dragenter', onEnter, options)
    window.addEventListener('dragleave', onLeave, options)
    window.addEventListener('dragover', onOver, options)
    window.addEventListener('drop', onDrop, options)
    return () => ending.abort()
  }, [])
  return isOver
}

const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false
