// Searches with MiniSearch and the parameters of the paper that brv follows.
//
// Reads `{"entries": [{"path", "title", "content"}], "questions": [text]}` from standard input, and prints a list for each
// question: `[path, score]`, the best first.
const MiniSearch = require('minisearch');
const { entries, questions } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const search = new MiniSearch({ fields: ['title', 'content', 'path'], idField: 'path' });
search.addAll(entries);
const options = { boost: { title: 5, content: 1, path: 1.5 }, fuzzy: 0.2, prefix: true };
const first = (question) => search.search(question, options).slice(0, 10).map(({ id, score }) => [id, score]);
console.log(JSON.stringify(questions.map(first)));
