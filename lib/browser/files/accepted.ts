/** What the chooser of the system offers; the content decides all the same. */
export const ACCEPTED =
  'image/*,audio/*,video/mp4,video/mpeg,video/quicktime,video/webm,application/pdf,application/epub+zip,text/*,' +
  '.docx,.pptx,.xlsx,.xls,.odt,.rtf,.epub,.md,.csv,.json,.jsonl,.yaml,.yml,.toml,.xml,.log,.sql,.py,.rb,.rs,.go,.java,.kt,.swift,' +
  '.c,.h,.cpp,.cs,.js,.ts,.tsx,.jsx,.sh,.php,.lua,.r,.html,.css,.tex'
