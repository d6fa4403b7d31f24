"""The leaderboard as readers get it: table, cards, charts, note and files."""
