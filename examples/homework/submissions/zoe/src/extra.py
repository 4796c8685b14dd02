def show_months(data):
    month, count = None, 0
    for day, *_ in data + [("9999-99",)]:
        if day[:7] != month:
            if month is not None:
                print(month, "#" * count)
            month, count = day[:7], 0
        count += 1


def show_top(data, column, title, size=3):
    counted = {}
    for row in data:
        counted[row[column]] = counted.get(row[column], 0) + 1
    best = []
    for name, count in counted.items():
        best.append((count, name))
        best.sort(reverse=True)
        del best[size:]
    print(title + ":")
    for count, name in best:
        print("   %-25s %4d" % (name, count))
