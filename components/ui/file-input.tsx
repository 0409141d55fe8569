import type { ComponentProps } from 'react'

type FileInputProps = Omit<ComponentProps<'input'>, 'type' | 'onChange'> & {
  /** One at least; several where `multiple` is set. */
  onFiles: (files: [File, ...File[]]) => void
}

/** The way to the system's dialog for files. The same file can be chosen again. */
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
