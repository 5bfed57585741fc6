"""What the papers print: tables and figures as data, to stand beside ours."""
