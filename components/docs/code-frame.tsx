import { ColouredCode } from '@/components/docs/coloured-code'
import { CopyCode } from '@/components/docs/copy-code'

type CodeFrameProps = { code: string; language?: string | undefined }

/** A block of code with a way to copy it. */
export function CodeFrame({ code, language }: CodeFrameProps) {
  return (
    <div className="code-block docs-code group/code relative rounded-card border border-line bg-sunken">
      <CodeText code={code} language={language} />
      <CopyCode className="absolute end-1 top-1 rounded-control bg-sunken" />
    </div>
  )
}

/** The code by itself. */
export function CodeText({ code, language }: CodeFrameProps) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
      tabIndex={0}
      className="thin-scroll overflow-x-auto py-3 ps-4 pe-12 font-mono text-13 leading-5 pointer-coarse:min-h-13"
    >
      <code>
        <ColouredCode code={code} language={language} />
      </code>
    </pre>
  )
}
